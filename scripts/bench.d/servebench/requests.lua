-- Sends the requests of a file, which are separated by zero bytes, one after the other
-- and from the start again, and prints what the benchmark reads. With a second argument
-- each connection pauses before each request, that many milliseconds on average.
local requests, next_one = {}, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for one in file:read("*a"):gmatch("%Z+") do
    requests[#requests + 1] = one
  end
  file:close()
  local pause = tonumber(args[2])
  if pause then
    function delay() return math.random(math.floor(pause / 2), math.floor(pause * 3 / 2)) end
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\nmeasured %d %d %d %d %d: connect %d, read %d, write %d, status %d, timeout %d\n",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout, e.connect, e.read, e.write, e.status, e.timeout))
end
