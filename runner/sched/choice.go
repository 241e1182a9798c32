package sched

// Choice is a choice that a strategy has made for the program, see Chooser: which of the
// cases of a select that were ready a task took. Where a schedule has no choice for a
// select, it follows from the trial's seed.
type Choice struct {
	Task TaskID `json:"task"`
	Step int32  `json:"step"` // of the task: its first is 1
	Case int32  `json:"case"` // among the ready ones, from 0
}

// Word packs a choice for the status page; steps and cases beyond what fits are cut off.
func (c Choice) Word() uint64 {
	return uint64(uint32(c.Task))<<32 | uint64(c.Step&0xfffff)<<12 | uint64(c.Case&0xfff)
}

// ChoiceOf is the inverse of Word.
func ChoiceOf(w uint64) Choice {
	return Choice{TaskID(w >> 32), int32(w >> 12 & 0xfffff), int32(w & 0xfff)}
}
