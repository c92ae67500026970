package jobmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/internal/typo"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
)

// Bounds of foreign texts, in characters.
const (
	maxTitle      = 200
	maxName       = 120
	maxLabel      = 1000
	maxLink       = 1000
	maxDetails    = 500
	maxLocations  = 10
	maxQuestions  = 100
	maxAnswers    = 60
	maxPerKind    = 50 // changes
	maxFindings   = 40 // of doctor
	maxPostings   = 50 // a call
	maxAdText     = 20000
	maxNationList = 20
)

// toolbox is a server of the MCP library with the names of its tools.
type toolbox struct {
	server *mcp.Server
	names  []string
}

// guard answers a call of an unknown tool with an error that suggests a similar
// name.
func (b *toolbox) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || slices.Contains(b.names, call.Params.Name) {
			return next(ctx, method, req)
		}
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("unknown tool %q%s", foreign.Line(call.Params.Name, 60), inPlaceOf(call.Params.Name, b.names)),
		}
	}
}

// inPlaceOf returns the end of an error for an unknown name: a similar known name, or
// else all known names.
func inPlaceOf(name string, known []string) string {
	if meant := typo.Closest(name, known); meant != "" {
		return "; is it " + meant + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}

// addTools adds the tools, which all only read. Without session it leaves out the
// tools that need a memory.
func (s *Server) addTools(to *toolbox, session bool) {
	addTool(s, to, "search_jobs", "Search jobs",
		`Search the postings of the job board's channel, by words and around a place. Returns one page of short entries.
The service has no paging of its own: each call searches again, and offset passes over entries. A posting's job is what
the other tools take; it is read from the posting's link, so compare its title with that of job_information. The service
also finds postings for further locations, which its answer does not name: an entry may name a place outside of the
circle.`,
		s.searchJobs)
	addTool(s, to, "job_information", "Job information",
		`Say of one job whether applying is possible, which questions an application must answer, with their answers and
identifiers, where it is, and where the privacy statement is. Lists nationalities that contain a given text, since a job
may have hundreds.`,
		s.jobInformation)
	addTool(s, to, "may_i_apply", "May I apply",
		`Say whether the applicant may apply to a job, and why not: applied already (also where the application was
withdrawn; there is one application per job), closed, not visible, or not found. Needs the applicant's token in the settings
for a certain yes; without one it says what the job information alone tells.`,
		s.mayIApply)
	addTool(s, to, "check_answers", "Check answers",
		`Check an applicant's answers against the questions of a job, before the person applies. Nothing is sent but the
lookup of the job's questions. Answers are a map from a question's identifier or label, as job_information shows them, to
the identifier or label of one of its answers, to yes or no, or to text.`,
		s.checkAnswers)
	if session {
		addTool(s, to, "what_changed", "What changed",
			`Say which postings of a search are new, changed or gone since the first call with the same search in this
session, or since the state file that the server was started with. The point of comparison stays until a call has
from_now_on.`,
			s.whatChanged)
	}
	if s.o.Doctor != nil {
		addTool(s, to, "doctor", "Doctor",
			`Find out why the set-up does not work: checks settings, addresses, TLS, clocks, redirects, credentials, channel,
language and lookup with a few harmless requests. Each check has a verdict and, where it is not ok, the next step for a
person.`,
			s.examine)
	}
}

// addTool adds a tool, with schemas made from its types.
func addTool[In, Out any](s *Server, to *toolbox, name, title, description string,
	call func(context.Context, In) (Out, error),
) {
	no, yes := false, true
	in := newArguments(schemaOf[In]())
	to.names = append(to.names, name)
	to.server.AddTool(&mcp.Tool{
		Name: name, Title: title, Description: strings.ReplaceAll(description, "\n", " "),
		InputSchema: in.schema, OutputSchema: schemaOf[Out](),
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &yes,
		},
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args In
		if err := in.read(r.Params.Arguments, &args); err != nil {
			return s.failed(err), nil
		}
		out, err := call(ctx, args)
		switch {
		case ctx.Err() != nil:
			return s.failed(errTooLong), nil
		case err != nil:
			if s.o.Failed != nil {
				s.o.Failed(err)
			}
			return s.failed(err), nil
		}
		return s.result(out), nil
	})
}

var errTooLong = &advised{
	errors.New("the call was canceled, or took longer than " + maxCallTime.String()), "try again later, or ask for less",
}

// conditions are the jobboard package's errors by name, special errors before
// general ones.
var conditions = []struct {
	name string
	err  error
}{
	{"ErrPostingNotFound", jobboard.ErrPostingNotFound},
	{"ErrPostingNotAccessible", jobboard.ErrPostingNotAccessible},
	{"ErrPostingInactive", jobboard.ErrPostingInactive},
	{"ErrProjectNotAvailable", jobboard.ErrProjectNotAvailable},
	{"ErrProjectNotAccessible", jobboard.ErrProjectNotAccessible},
	{"ErrApplicationNotFound", jobboard.ErrApplicationNotFound},
	{"ErrJobInactive", jobboard.ErrJobInactive},
	{"ErrJobUnavailable", jobboard.ErrJobUnavailable},
	{"ErrPostingUnavailable", jobboard.ErrPostingUnavailable},
	{"ErrNotFound", jobboard.ErrNotFound},
	{"ErrInactive", jobboard.ErrInactive},
	{"ErrNotVisible", jobboard.ErrNotVisible},
	{"ErrUnauthorized", jobboard.ErrUnauthorized},
	{"ErrForbidden", jobboard.ErrForbidden},
	{"ErrToken", jobboard.ErrToken},
	{"ErrRateLimited", jobboard.ErrRateLimited},
	{"ErrServer", jobboard.ErrServer},
	{"ErrRedirect", jobboard.ErrRedirect},
	{"ErrResponseTooLarge", jobboard.ErrResponseTooLarge},
	{"ErrDecode", jobboard.ErrDecode},
	{"ErrTransport", jobboard.ErrTransport},
	{"ErrTimeout", jobboard.ErrTimeout},
	{"ErrInvalidInput", jobboard.ErrInvalidInput},
}

// failure is the result of a failed tool call.
type failure struct {
	Error      string   `json:"error"`
	Tell       string   `json:"tell"` // what to tell the person in one line
	Conditions []string `json:"conditions,omitempty"`
	Next       string   `json:"next,omitempty"`
	Details    string   `json:"foreign_details,omitempty"`
}

// advised is an error with advice for the next step.
type advised struct {
	error
	next string
}

func (e *advised) Unwrap() error { return e.error }

// describe converts an error to a failure, with the service's words in a
// separate foreign field.
func (s *Server) describe(err error) failure {
	var f failure
	var first error
	for _, c := range conditions {
		if errors.Is(err, c.err) {
			f.Conditions = append(f.Conditions, c.name)
			if first == nil {
				first = c.err
			}
		}
	}
	f.Next, f.Tell = s.nextStep(err), tellOf(err)
	var call *jobboard.Error
	if !errors.As(err, &call) {
		f.Error = foreign.Line(shown.Error(err), maxDetails)
		return f
	}
	f.Error = call.Op + " failed"
	if call.StatusCode != 0 {
		f.Error = fmt.Sprintf("%s (status %d)", f.Error, call.StatusCode)
	}
	if first != nil {
		f.Error += ": " + first.Error()
	}
	if said := detailsOf(call); said != "" {
		f.Details = foreign.Line(said, maxDetails)
	}
	return f
}

// detailsOf returns what the error of a failed call tells whoever asks: what is wrong with the input or
// with the answer, and the service's code and words. The rest of its text names hosts of the operator's
// network, and goes to Options.Failed alone.
func detailsOf(call *jobboard.Error) string {
	var parts []string
	for _, known := range []error{jobboard.ErrInvalidInput, jobboard.ErrDecode, jobboard.ErrResponseTooLarge} {
		if errors.Is(call.Err, known) {
			parts = append(parts, call.Err.Error())
		}
	}
	for _, said := range []string{call.Code, call.Message} {
		if said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, ": ")
}

// nextStep returns advice for an error: from the error itself, from Options.NextStep,
// which knows the program's settings, or else from nextSteps.
func (s *Server) nextStep(err error) string {
	var own *advised
	if errors.As(err, &own) {
		return own.next
	}
	if s.o.NextStep != nil {
		if next := s.o.NextStep(err); next != "" {
			return next
		}
	}
	if unknownChannel(err) {
		return "leave channel out: the settings' channel is searched then; or ask whoever runs this server for the names of its channels"
	}
	for _, step := range nextSteps {
		for _, condition := range step.conditions {
			if errors.Is(err, condition) {
				return step.next
			}
		}
	}
	return ""
}

// unknownChannel reports whether an error is the answer of a copy, or of a board, that has not the channel of a search.
func unknownChannel(err error) bool {
	var call *jobboard.Error
	return errors.As(err, &call) && call.Op == "Postings" && call.StatusCode == http.StatusNotFound
}

var nextSteps = []struct {
	conditions []error
	next       string
}{
	{[]error{jobboard.ErrInvalidInput}, "change the arguments: nothing was sent"},
	{
		[]error{jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrToken},
		"whoever runs this server must look after its credential",
	},
	{
		[]error{jobboard.ErrNotFound, jobboard.ErrInactive, jobboard.ErrNotVisible, jobboard.ErrApplicationNotFound},
		"this is the service's answer about the job: another call gets the same",
	},
	{
		[]error{jobboard.ErrPostingUnavailable},
		"a technical error of the service, which says nothing of the job: do not call it closed or gone; " +
			"try again later, three times at most",
	},
	{[]error{jobboard.ErrRateLimited}, "try again later, or slower"},
	{[]error{jobboard.ErrServer, jobboard.ErrTransport, jobboard.ErrTimeout}, "try again later"},
}

// failed returns an error as the result of a tool call.
func (s *Server) failed(err error) *mcp.CallToolResult {
	f := s.describe(err)
	// Mask before encoding too: a mask may not recognize a secret with JSON
	// escapes.
	f.Error, f.Next, f.Details = s.masked(f.Error), s.masked(f.Next), s.masked(f.Details)
	text := s.masked(compact(f))
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// result encodes the result of a tool call. As the last step it masks secrets and
// checks the size.
func (s *Server) result(found any) *mcp.CallToolResult {
	body := compact(found)
	if len(body) > maxAnswer {
		return s.failed(&advised{errors.New("the result is larger than 64 KiB"), "ask for less"})
	}
	body = s.maskedJSON(body)
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(body), Content: []mcp.Content{&mcp.TextContent{Text: body}},
	}
}

// compact returns v as JSON on one line.
func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // cannot happen: results hold only texts, numbers and lists of them
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maskedJSON masks secrets in the texts of a JSON value. A mask may not recognize a secret
// with JSON escapes, so if body has escapes or a secret, maskedJSON decodes it and masks each
// text.
func (s *Server) maskedJSON(body string) string {
	hides := s.masked(body) != body
	if !hides && (s.o.Mask == nil || !strings.Contains(body, `\`)) {
		return body
	}
	var v any
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err) // compact has just written it
	}
	masked, changed := s.maskedValue(v)
	if hides || changed {
		return compact(masked)
	}
	return body // keeps the order of members
}

// maskedValue masks the texts in a decoded JSON value, and reports whether a text changed.
func (s *Server) maskedValue(v any) (masked any, changed bool) {
	part := false
	switch v := v.(type) {
	case string:
		text := s.masked(v)
		return text, text != v
	case []any:
		for i := range v {
			v[i], part = s.maskedValue(v[i])
			changed = changed || part
		}
	case map[string]any:
		for k := range v {
			v[k], part = s.maskedValue(v[k])
			changed = changed || part
		}
	}
	return v, changed
}
