package right

//coopvet:ignore right,left both are only a test
func leftAndRight() {}

//coopvet:ignore left not this one
func right() {} // want `right here`
