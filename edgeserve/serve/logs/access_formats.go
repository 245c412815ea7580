// This file has the formats of the access log. Each text of a client is printed as ASCII (Printable) and
// cut, so a line has at most maxLine bytes, and no byte that ends a line or a quoted text.

package logs

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// AccessFormat appends the line of a request, which was answered now, without the end of the line.
type AccessFormat func(line []byte, r Request, now time.Time) []byte

// formats are the formats by their names.
var formats = []struct {
	name   string
	format AccessFormat
}{{"json", JSON}, {"text", Text}, {"combined", Combined}, {"ecs", ECS}}

// FormatNames returns the names of the formats.
func FormatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf returns the format of a name.
func FormatOf(name string) (AccessFormat, error) {
	for _, f := range formats {
		if f.name == name {
			return f.format, nil
		}
	}
	return nil, fmt.Errorf("the access log has the formats %v, not %q", FormatNames(), name)
}

// The longest texts of clients that are printed, in bytes before they are escaped.
const (
	maxMethod   = 32
	maxProtocol = 16
	maxHost     = 255 // a name of the DNS
	maxAgent    = 512
	maxReferer  = 1024
	// maxLine bounds a line: common readers split lines of more than 16 KiB.
	maxLine = 16 << 10
)

const stamp = "2006-01-02T15:04:05.000000Z" // in UTC, to the microsecond

// JSON is one object a line, with the same members in each.
func JSON(line []byte, r Request, now time.Time) []byte {
	o := object{append(line, '{')}
	o.b = append(now.AppendFormat(append(o.b, `"time":"`...), stamp), `","level":"INFO","msg":"request",`...)
	o.word("id", r.ID)
	o.address("client", r)
	o.peer("peer", r)
	o.text("method", r.Method, maxMethod)
	o.text("host", r.Fields.Host, maxHost)
	o.text("target", r.Target, maxPrinted)
	o.text("protocol", r.Protocol, maxProtocol)
	o.number("status", int64(r.Status))
	o.word("error", r.Error)
	o.number("bytes", int64(r.Bytes))
	o.key("duration_us")
	o.b = append(appendMicroseconds(o.b, r.Duration), ',')
	o.word("cache", r.Cache)
	o.text("coding", r.Coding, maxProtocol)
	o.word("release", r.Release)
	o.text("referer", r.Fields.Referer, maxReferer)
	o.text("user_agent", r.Fields.UserAgent, maxAgent)
	o.text("trace_id", r.Fields.TraceID, traceLength)
	return o.end()
}

// ECS is one object a line, with the names of the Elastic Common Schema. Members without a value are left
// out.
func ECS(line []byte, r Request, now time.Time) []byte {
	o := object{append(line, '{')}
	o.b = append(now.AppendFormat(append(o.b, `"@timestamp":"`...), stamp),
		`","log.level":"info","ecs.version":"8.11.0","event.kind":"event","event.category":["web"],"event.type":["access"],"event.dataset":"contentedge.access",`...)
	o.number("event.duration", r.Duration.Nanoseconds())
	if r.Client.IsValid() {
		o.address("client.ip", r)
	}
	if r.Peer.IsValid() {
		o.key("source.ip")
		o.b = append(r.Peer.Addr().Unmap().AppendTo(append(o.b, '"')), '"', ',')
		o.number("source.port", int64(r.Peer.Port()))
	}
	o.text("http.request.method", r.Method, maxMethod)
	o.word("http.request.id", r.ID)
	o.number("http.response.status_code", int64(r.Status))
	o.number("http.response.body.bytes", int64(r.Bytes))
	o.text("url.original", r.Target, maxPrinted)
	for _, m := range []struct {
		name  string
		value []byte
		limit int
	}{
		{"url.domain", r.Fields.Host, maxHost}, {"http.request.referrer", r.Fields.Referer, maxReferer}, {"user_agent.original", r.Fields.UserAgent, maxAgent},
		{"trace.id", r.Fields.TraceID, traceLength}, {"labels.coding", r.Coding, maxProtocol}, {"labels.release", []byte(r.Release), maxHost},
	} {
		if len(m.value) > 0 {
			o.text(m.name, m.value, m.limit)
		}
	}
	o.word("labels.cache", r.Cache)
	if r.Error != "" {
		o.word("error.code", r.Error)
	}
	return o.end()
}

// Combined is the combined log format of Apache and nginx, in UTC: what a client sent is in quotes, in which quotes and
// backslashes are \xNN too. The code of an error follows as a last field. Escaped texts are cut, so that a line has
// less than 4,096 bytes: GoAccess splits longer ones.
func Combined(line []byte, r Request, now time.Time) []byte {
	if r.Client.IsValid() {
		line = r.Client.AppendTo(line)
	} else {
		line = append(line, '-')
	}
	line = now.AppendFormat(append(line, " - - ["...), "02/Jan/2006:15:04:05 -0700")
	line = append(line, `] "`...)
	switch {
	case len(r.Method) > 0:
		line = append(appendHex(line, r.Method, maxMethod), ' ')
		line = append(appendHex(line, r.Target, maxPrinted), ' ')
		line = appendHex(line, r.Protocol, maxProtocol)
	case len(r.Target) > 0: // a request line that could not be parsed
		line = appendHex(line, r.Target, maxPrinted)
	default:
		line = append(line, '-')
	}
	line = strconv.AppendInt(append(line, `" `...), int64(r.Status), 10)
	line = strconv.AppendInt(append(line, ' '), int64(r.Bytes), 10)
	line = appendQuoted(append(line, ' '), r.Fields.Referer, maxReferer)
	line = appendQuoted(append(line, ' '), r.Fields.UserAgent, maxAgent)
	if r.Error != "" {
		line = appendQuoted(append(line, ' '), []byte(r.Error), maxHost)
	}
	return line
}

func appendQuoted(line, text []byte, limit int) []byte {
	if len(text) == 0 {
		return append(line, `"-"`...)
	}
	return append(appendHex(append(line, '"'), text, limit), '"')
}

// Text is for people: names and values, values with spaces in quotes.
func Text(line []byte, r Request, now time.Time) []byte {
	line = now.AppendFormat(append(line, "time="...), stamp)
	line = append(line, " level=INFO msg=request"...)
	pair := func(name string, value []byte, limit int) {
		line = append(append(append(line, ' '), name...), '=')
		text := appendEscaped(nil, value, limit)
		if len(text) == 0 || slices.ContainsFunc(text, func(c byte) bool { return c == ' ' || c == '=' || c == '"' }) {
			line = strconv.AppendQuote(line, string(text))
		} else {
			line = append(line, text...)
		}
	}
	pair("id", []byte(r.ID), maxHost)
	pair("client", appendAddress(nil, r), maxHost)
	pair("peer", appendPeer(nil, r), maxHost)
	pair("method", r.Method, maxMethod)
	pair("host", r.Fields.Host, maxHost)
	pair("target", r.Target, maxPrinted)
	pair("protocol", r.Protocol, maxProtocol)
	pair("status", strconv.AppendInt(nil, int64(r.Status), 10), maxHost)
	pair("error", []byte(r.Error), maxHost)
	pair("bytes", strconv.AppendInt(nil, int64(r.Bytes), 10), maxHost)
	pair("duration_us", appendMicroseconds(nil, r.Duration), maxHost)
	pair("cache", []byte(r.Cache), maxHost)
	pair("coding", r.Coding, maxProtocol)
	pair("release", []byte(r.Release), maxHost)
	pair("referer", r.Fields.Referer, maxReferer)
	pair("user_agent", r.Fields.UserAgent, maxAgent)
	pair("trace_id", r.Fields.TraceID, traceLength)
	return line
}

func appendAddress(b []byte, r Request) []byte {
	if r.Client.IsValid() {
		b = r.Client.AppendTo(b)
	}
	return b
}

// appendPeer appends the peer with its port: in networks that share an address, only both identify it.
func appendPeer(b []byte, r Request) []byte {
	if r.Peer.IsValid() {
		b = r.Peer.AppendTo(b)
	}
	return b
}

func appendMicroseconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d)/float64(time.Microsecond), 'f', -1, 64)
}

// object is a JSON object being written. Each member ends in a comma until end.
type object struct{ b []byte }

func (o *object) key(name string) {
	o.b = append(append(append(o.b, '"'), name...), `":`...)
}

// word adds a text of ours, which needs no escapes.
func (o *object) word(name, value string) {
	o.key(name)
	o.b = append(append(append(o.b, '"'), value...), `",`...)
}

func (o *object) number(name string, n int64) {
	o.key(name)
	o.b = append(strconv.AppendInt(o.b, n, 10), ',')
}

func (o *object) address(name string, r Request) {
	o.key(name)
	o.b = append(appendAddress(append(o.b, '"'), r), `",`...)
}

func (o *object) peer(name string, r Request) {
	o.key(name)
	o.b = append(appendPeer(append(o.b, '"'), r), `",`...)
}

// text adds a printed text of a client. JSON escapes its quotes and backslashes.
func (o *object) text(name string, value []byte, limit int) {
	o.key(name)
	o.b = append(o.b, '"')
	if i := slices.IndexFunc(value[:min(len(value), limit)], func(c byte) bool { return !plain(c) || c == '"' }); i < 0 {
		o.b = appendEscaped(o.b, value, limit)
	} else {
		for _, c := range appendEscaped(nil, value, limit) {
			if c == '"' || c == '\\' {
				o.b = append(o.b, '\\')
			}
			o.b = append(o.b, c)
		}
	}
	o.b = append(o.b, `",`...)
}

func (o *object) end() []byte {
	o.b[len(o.b)-1] = '}'
	return o.b
}
