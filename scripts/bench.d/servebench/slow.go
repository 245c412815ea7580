// This file measures how slow clients and expensive searches affect ordinary requests.

package servebench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bench/chart"
)

// quiet is the name for no attack.
const quiet = "quiet"

// slow has the parsed flags.
type slow struct {
	config
	clients int
}

// moment has the measurements of a case under an attack, in addition to Case.
type moment struct {
	name      string // of the attack
	attack    attack
	elsewhere bool    // the other server is attacked
	twin      *moment // the same attack on the other server, or nil
	cases     *Server
	anons     []int64
	reopened  int
}

func parseSlow(args []string) (c slow, err error) {
	fs := flag.NewFlagSet("bench slow", flag.ContinueOnError)
	c.register(fs)
	fs.IntVar(&c.clients, "clients", 5000, "slow connections of each kind")
	fs.IntVar(&c.conns, "connections", 32, "ordinary connections, from wrk")
	fs.IntVar(&c.rounds, "rounds", 3, "number of rounds; results are medians")
	fs.DurationVar(&c.each, "each", 6*time.Second, "duration of a measurement, in whole seconds")
	fs.BoolVar(&c.smoke, "smoke", false, "check that everything works: 500 clients, one round, a second each")
	if err := parseAll(fs, args); err != nil {
		return c, err
	}
	if c.smoke {
		c.rounds, c.each, c.clients = 1, time.Second, min(c.clients, 500)
	}
	if c.rounds < 1 || c.files < 1 || c.conns < 1 || c.clients < 1 || c.each < time.Second {
		return c, errors.New("at least one round, file and connection, and a second each, are needed")
	}
	c.servers = []string{ours, elsewhere}
	return c, nil
}

// Slow measures the p99 of items and lists: without load, under each attack, and while
// each attack targets another server. Clients, wrk and servers share the machine, so
// the last figure shows an attack's effect on any server there.
func Slow(args []string, out, progress io.Writer) error {
	c, err := parseSlow(args)
	if err != nil {
		return err
	}
	return inDirectory("bench-slow-", progress, []string{"wrk", "taskset"}, func(dir string, say func(string, ...any)) error {
		s, err := c.site(dir, say)
		if err != nil {
			return err
		}
		moments, err := c.suffer(s, dir, say)
		if err != nil {
			return err
		}
		return c.table(moments, out)
	})
}

// suffered are the measured cases.
func (s *site) suffered() (cases []theCase) {
	for _, k := range s.cases() {
		if k.name == "item" || k.name == "list page by query" {
			cases = append(cases, k)
		}
	}
	return cases
}

// ask sends all requests once and writes the requests of each case to a file in the
// server's own directory.
func (s *site) ask(v *server, home string) (files map[string]string, err error) {
	files = map[string]string{}
	for i, k := range s.suffered() {
		requests, _, err := v.prepare(k)
		if err != nil {
			return nil, err
		}
		files[k.name] = filepath.Join(home, fmt.Sprint("case", i))
		if err := os.Mkdir(files[k.name], 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(files[k.name], v.name), []byte(strings.Join(shuffled(requests), "\x00")), 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// suffer measures all rounds with and without attacks, each with a new server.
func (c slow) suffer(s *site, dir string, say func(string, ...any)) ([]*moment, error) {
	moments := []*moment{{name: quiet}}
	for _, a := range attacks(largeList) {
		there := &moment{name: a.name + " elsewhere", attack: a, elsewhere: true}
		moments = append(moments, &moment{name: a.name, attack: a, twin: there}, there)
	}
	for round := range c.rounds {
		for i, m := range moments {
			say("round %d: %s", round+1, m.name)
			home := filepath.Join(dir, fmt.Sprintf("%d-%d", round, i))
			if err := os.Mkdir(home, 0o755); err != nil {
				return nil, err
			}
			if err := c.moment(m, s, home); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
		}
	}
	return moments, nil
}

// largeList is the request of slow readers, with a response larger than the kernel's
// buffers.
const largeList = contents + "?pageSize=100"

// moment measures all cases once under an attack.
func (c slow) moment(m *moment, s *site, home string) (err error) {
	servers, err := c.start(s, home, func(string, ...any) {})
	defer func() { err = errors.Join(err, stopAll(servers)) }()
	if err != nil {
		return err
	}
	v, victim := servers[0], servers[0]
	if m.elsewhere {
		victim = servers[1]
	}
	files, err := s.ask(v, home)
	if err != nil {
		return err
	}
	if m.cases == nil {
		m.cases = &Server{Name: v.name, Title: v.title, Cases: map[string]Case{}}
	}
	if m.name != quiet {
		clients, err := m.attack.begin(victim.addr, c.clients)
		if err != nil {
			return err
		}
		defer func() {
			n, ended := clients.finish()
			m.reopened += n
			err = errors.Join(err, ended)
		}()
		if m.attack.searches == nil {
			if err := settle(victim.cmd.Process.Pid); err != nil {
				return err
			}
		}
	}
	for name, dir := range files {
		if err := errors.Join(c.round(v, dir, name, m.cases), c.paced(v, dir, name, m.cases)); err != nil {
			return err
		}
	}
	anon, _ := resident(v.cmd.Process.Pid)
	m.anons = append(m.anons, anon)
	return nil
}

// settleMost limits the wait of settle.
const settleMost = 20 * time.Second

// settle waits until the server has handled the clients' initial burst and uses less
// than a fifth of a core.
func settle(pid int) error {
	const look = 500 * time.Millisecond
	last, err := cpu(pid)
	for end := time.Now().Add(settleMost); err == nil && time.Now().Before(end); {
		time.Sleep(look)
		var now time.Duration
		if now, err = cpu(pid); now-last < look/5 {
			return err
		}
		last = now
	}
	return err
}

// table prints each case under each attack, with the figures without load and of the attack on
// the other server.
func (c slow) table(moments []*moment, out io.Writer) error {
	(&Results{Servers: servers(moments)}).summarise()
	fmt.Fprintf(out, "%d slow clients of a kind, %d who ask for costly searches; ordinary requests on %d connections.\n\n", c.clients, costlyClients, c.conns)
	fmt.Fprint(out, "| | | p50, and p99 of the best round, at an ordinary load, us | p99 : quiet | : elsewhere | p50 / p99 at full load, us | p99 : quiet | : elsewhere | responses a second | CPU of one, us | RssAnon, MiB | cut and opened again |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range []string{"item", "list page by query"} {
		for _, m := range moments {
			f, calm := m.cases.Cases[name], moments[0].cases.Cases[name]
			other := f
			if m.twin != nil {
				other = m.twin.cases.Cases[name]
			}
			fmt.Fprintf(out, "| %s | %s | %d / %d | %s | %s | %d / %d | %s | %s | %s | %.1f | %.1f | %d |\n", name, m.name,
				f.PacedP50, f.PacedP99, ratio(f.PacedP99, calm.PacedP99), ratio(f.PacedP99, other.PacedP99),
				f.P50, f.P99, ratio(f.P99, calm.P99), ratio(f.P99, other.P99),
				chart.Thousands(int(f.Rate)), float64(f.CPU)/1000, float64(median(m.anons))/1024, m.reopened)
		}
	}
	return nil
}

func servers(moments []*moment) (all []*Server) {
	for _, m := range moments {
		all = append(all, m.cases)
	}
	return all
}
