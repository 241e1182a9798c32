//coop:go1.26

package testing

func (c *common) coopPaths(m *M) {
	c.modulePath = m.deps.ModulePath()
	c.importPath = m.deps.ImportPath()
}
