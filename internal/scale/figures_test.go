// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"strings"
	"testing"
	"time"
)

const metrics = `# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 321
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.5
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 1.048576e+08
# TYPE other counter
other{a="b"} 1
other{a="c"} 2
`

func TestParseLook(t *testing.T) {
	l, err := parseLook([]byte(metrics), epoch)
	if err != nil {
		t.Fatal(err)
	}
	before := look{at: epoch.Add(-10 * time.Second), cpu: 10}
	if s := l.sample(&before); s != (Sample{Seconds: 10, CPU: 2.5, MemoryMB: 100, Goroutines: 321}) {
		t.Errorf("%+v", s)
	}
	if s := l.sample(nil); s != (Sample{MemoryMB: 100, Goroutines: 321}) {
		t.Errorf("%+v", s)
	}
	_, err = parseLook([]byte(strings.ReplaceAll(metrics, "go_goroutines", "renamed")), epoch)
	if err == nil || !strings.Contains(err.Error(), "go_goroutines") {
		t.Errorf("without goroutines: %v", err)
	}
	if _, err := parseLook([]byte("}{"), epoch); err == nil {
		t.Error("read what is no metrics")
	}
}

func TestRefuses(t *testing.T) {
	m := Machine{AvailableMB: needsMB(110)}
	if why := m.Refuses(110); why != "" {
		t.Errorf("refused: %s", why)
	}
	why := m.Refuses(111)
	if !strings.Contains(why, "111 pods need") || !strings.Contains(why, "at most --pods 110") {
		t.Errorf("said %q", why)
	}
	if why := (Machine{AvailableMB: 100}).Refuses(1); !strings.Contains(why, "at most --pods 0") {
		t.Errorf("said %q", why)
	}
}

func TestReadMachine(t *testing.T) {
	m, err := ReadMachine()
	if err != nil || m.CPUs < 1 || m.MemoryMB == 0 || m.AvailableMB > m.MemoryMB || m.Kernel == "" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0.03612: "0.0361", 401: "401", 999.4: "999", 999.6: "1000", 1411: "1411", 26843545: "26843545"} {
		if got := digits(v); got != want {
			t.Errorf("%v: %s, not %s", v, got, want)
		}
	}
}
