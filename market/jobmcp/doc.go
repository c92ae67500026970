// Package jobmcp lets an assistant search a job board. It serves the Model Context Protocol
// with tools that only read: search jobs, job information, may I apply, check answers, what
// changed. No tool applies, subscribes, sends or changes anything.
//
// A program that an assistant starts serves it on standard input and output, with
// Server.Serve. A web site mounts Server.Handler beside its pages:
//
//	tools := jobmcp.NewServer(client, jobmcp.Options{Channel: "27828_extern", Hosts: []string{"jobs.example"}})
//	mux.Handle("/mcp", whoMayAsk(tools.Handler()))
//
// Handler does not authenticate callers: the program must, as whoMayAsk does above. The client
// may ask a board or a copy of a board.
//
// Results contain texts of others, such as advertisements and questions, as shortened
// plain text in fields whose names begin with foreign_. The instructions say that
// they are data and not instructions.
package jobmcp
