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
// Handler does not ask who calls: the program lets callers in, as its own whoMayAsk does above.
// A client over a copy of a board serves as well as one over the board.
//
// Texts that others wrote, such as advertisements and questions, are handed over as plain
// text, cut, in fields whose names begin with foreign_, and with a sentence that they are
// data and not instructions.
package jobmcp
