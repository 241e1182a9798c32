package toolchain

// patches is the patch table, applied in this order.
var patches = []edit{}
