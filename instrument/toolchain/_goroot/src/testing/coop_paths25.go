//coop:!go1.26

package testing

func (*common) coopPaths(*M) {}
