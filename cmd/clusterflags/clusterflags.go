// Package clusterflags defines the flags of how to reach the nodes of a cluster, for all commands that do.
package clusterflags

import (
	"contentedge/cmd/cli"
	"contentedge/edgeserve/wire/clusterhttp"
)

// Add adds the flags of credentials and TLS. The nodes are a flag of the command; if it is not required,
// needs names it.
func Add(g *cli.Group, o *clusterhttp.Options, needs string) {
	g.String(&o.User, "cluster-user", "NAME", "the user at the cluster, with a password").Needs(needs)
	g.Secret(&o.Password, "cluster-password", "the password of --cluster-user").Needs(needs)
	g.Secret(&o.APIKey, "cluster-api-key", "the API key of the cluster").Needs(needs)
	g.String(&o.AWS, "cluster-aws", "REGION/SERVICE", "sign requests to the cluster with credentials of AWS; the service is es or aoss").Needs(needs)
	g.String(&o.CAFile, "cluster-ca", "FILE", "certificates of the authorities of nodes, in PEM (default: the public authorities)").Needs(needs)
	g.Bool(&o.Insecure, "cluster-insecure", "send credentials over http:// to other machines, where others can read them").Needs(needs)
}
