package alarmclock

import (
	"sync"
	"testing"
)

func TestAlarmClock2(t *testing.T) { night(t, 2) }
func TestAlarmClock4(t *testing.T) { night(t, 4) }
func TestAlarmClock8(t *testing.T) { night(t, 8) }

// night lets each of n clients set an alarm and wind the clock on.
func night(t *testing.T, n int) {
	var c Clock
	alarms := make([]*Alarm, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			alarms[i] = c.Set()
			c.Tick()
		})
	}
	wg.Wait()
	if c.head != nil {
		t.Error("alarms left over")
	}
	for i, a := range alarms {
		if !a.rang {
			t.Errorf("alarm %d did not ring", i)
		}
	}
}
