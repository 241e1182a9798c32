package left

func left() {} // want `left here`

func leftEnd() {} //coopvet:ignore left it is only a test

//coopvet:ignore left it is only a test
func leftAbove() {}

// leftDoc has a comment.
//
//coopvet:ignore left it is only a test
func leftDoc() {}

//coopvet:ignore right,left both are only a test
func leftAndRight() {}

//coopvet:ignore right not this one
func leftRight() {} // want `left here`

//coopvet:ignore left
func leftNoReason() {} // want `left here`

//coopvet:ignore left too far away

func leftFar() {} // want `left here`

// coopvet:ignore left directives have no space
func leftSpace() {} // want `left here`

//coopvet:ignored left another directive
func leftOther() {} // want `left here`
