package ignore

//coopvet:ignore left it is only a test
func left() {}

//coopvet:ignore // want `coopvet:ignore needs the name of a check and a reason`
func leftNothing() {}

//coopvet:ignore left // want `coopvet:ignore needs a reason after the name of the check`
func leftNoReason() {}

//coopvet:ignore lift it is only a test // want `coopvet:ignore names lift, which is no check`
func lift() {}

//coopvet:ignore left it is only a test // want `coopvet:ignore is not needed: left reports nothing here`
func nothing() {}

//coopvet:ignore left,right it is only a test // want `coopvet:ignore is not needed: right reports nothing here`
func leftOnly() {}
