/*
Package lockorder defines an Analyzer that reports locks that are taken in different orders.

# Analyzer lockorder

lockorder: report cycles in the order in which locks are taken

If one goroutine takes lock A and then B, and another B and then A, each can end up with
one lock and wait for the other's, forever.

Category cycle: locks, known by the field or package-level variable that they are, that are
taken in a cycle, in functions of this package and those it imports; each link of the chain
is shown. A cycle is left out if one lock is held in all its links, or if one of its links
waits for reading for a lock that is held for reading. Of cycles with a link in common the shortest
is reported. Links in tests are left out, and those of locks in objects that the function has made.

Category instances: a function locks the same field of two objects that it is given, in the
order of its arguments, so that two calls with exchanged arguments can wait for each other.
Functions that compare the two, and so may order them, are left out.

Category map: a loop over a map locks its values and keeps the locks; the order differs
from loop to loop.
*/
package lockorder
