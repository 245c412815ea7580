-- Sends the requests of a file, which are separated by zero bytes, one after the other
-- and from the start again, and prints what the benchmark reads.
local requests, next_one = {}, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for one in file:read("*a"):gmatch("%Z+") do
    requests[#requests + 1] = one
  end
  file:close()
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\nmeasured %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
