// This file lists the names in the tables of this package, for descriptions of the interface.

package body

import "contentedge/edgeserve/engine/query"

// Members returns the names of the members of a body that are not refused, in the order in which errors list them.
func Members() (names []string) {
	for i := range bodyMembers {
		if bodyMembers[i].refused == "" {
			names = append(names, bodyMembers[i].name)
		}
	}
	return names
}

// QueryOptions returns the names of the options of a query type.
func QueryOptions(name string) []string { return queryTypes[name].options.known() }

// AggOptions returns the names of the options of an aggregation type.
func AggOptions(kind query.AggKind) []string { return aggParserOf(string(kind)).options.known() }
