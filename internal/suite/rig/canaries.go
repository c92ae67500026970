package rig

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// A Canary is something that is told in confidence. Its core survives every
// way of quoting it, and begins as all of them do.
type Canary struct{ name, Secret, core string }

// The canaries.
var (
	ClientID       = Canary{"client identifier", "canaryBasicId7f31", "canaryBasicId7f31"}
	ClientToken    = Canary{"client token", "canaryClient.tok-en~9b2c/+==", "canaryClient.tok-en~9b2c"}
	ApplicantToken = Canary{"applicant token", "canaryUser&tok'en\"<5d80>", "canaryUser"}
	LookupToken    = Canary{"lookup token", "canaryLookup%token\\6e44", "canaryLookup"}
	FreshToken     = Canary{"renewed token", "canaryFresh-90aa3b", "canaryFresh-90aa3b"}
	TokenEndpoint  = Canary{"token endpoint's answer", "canaryRetrieve1a97", "canaryRetrieve1a97"}
	GatewayKey     = Canary{"key of a gateway", "canaryGateway-4e15", "canaryGateway-4e15"} // in a header of CallOptions
	SearchText     = Canary{"search text", "Köln & canarySearch \"c0ffee\" <x>", "canarySearch"}
	Email          = Canary{"e-mail address", "canaryEmail+box@example.org", "canaryEmail"}
	Channel        = Canary{"channel", "canary_channel_8", "canary_channel_8"}
	Subscription   = Canary{"subscription", "canary-subscription-5", "canary-subscription-5"}
)

// Canaries are all of them.
var Canaries = []Canary{
	ClientID, ClientToken, ApplicantToken, LookupToken, FreshToken, TokenEndpoint, GatewayKey, SearchText, Email,
	Channel, Subscription,
}

// needles returns the forms in which the search looks for a text.
func needles(core string) map[string]string {
	forms := map[string]string{
		"raw": core, "upper case": strings.ToUpper(core), "hex": hex.EncodeToString([]byte(core)),
		"HEX": strings.ToUpper(hex.EncodeToString([]byte(core))), "URL query": url.QueryEscape(core),
		"URL path": url.PathEscape(core), "JSON": strings.Trim(string(Must(json.Marshal(core))), `"`),
		"HTML": html.EscapeString(core), "bytes": strings.Trim(fmt.Sprint([]byte(core)), "[]"),
		"Go bytes":    strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", []byte(core)), "[]byte{"), "}"),
		"hex, spaced": fmt.Sprintf("% x", core),
	}
	// Base64 at each of the three offsets in a longer text, without the characters that depend on
	// neighbouring bytes.
	for shift := range 3 {
		padded := append(make([]byte, shift), core...)
		from, to := (shift*8+5)/6, len(padded)*8/6
		forms[fmt.Sprintf("base64 at %d", shift)] = base64.RawStdEncoding.EncodeToString(padded)[from:to]
		forms[fmt.Sprintf("base64 URL at %d", shift)] = base64.RawURLEncoding.EncodeToString(padded)[from:to]
	}
	return forms
}

var allNeedles = sync.OnceValue(func() (all []map[string]string) {
	for _, c := range Canaries {
		all = append(all, needles(c.core))
	}
	return append(all, needles("canary"))
})

// Shown says which canaries stand in the text, in any form.
func Shown(text string) (found []string) {
	all := allNeedles()
	some := false
	for _, beginning := range all[len(Canaries)] {
		some = some || strings.Contains(text, beginning)
	}
	if !some {
		return nil
	}
	for i, c := range Canaries {
		for form, needle := range all[i] {
			if i := strings.Index(text, needle); i >= 0 {
				found = append(found, fmt.Sprintf("%s (%s) in …%.160q", c.name, form, text[max(0, i-60):]))
				break
			}
		}
	}
	return found
}

// Is reports whether what Shown found is this canary.
func (c Canary) Is(found string) bool { return strings.HasPrefix(found, c.name+" (") }

// Printings returns the texts that a value may get into, by the way it gets there.
func Printings(v any) map[string]string {
	all := Formats(v)
	all["reflection"] = Dump(v)
	return all
}

// Formats returns what Printings does, but for what reflection shows.
func Formats(v any) map[string]string {
	all := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		all[verb] = fmt.Sprintf(verb, v)
	}
	if b, err := json.Marshal(v); err == nil {
		all["JSON"] = string(b)
	} else {
		all["JSON"] = err.Error()
	}
	var inXML bytes.Buffer // keeps bytes written before an error
	encoder := xml.NewEncoder(&inXML)
	if err := errors.Join(encoder.Encode(v), encoder.Flush()); err != nil {
		inXML.WriteString(err.Error())
	}
	all["XML"] = inXML.String()
	var text, object bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug - 10}
	slog.New(slog.NewTextHandler(&text, options)).Info("x", slog.Any("v", v), "w", []any{v})
	slog.New(slog.NewJSONHandler(&object, options)).Info("x", slog.Any("v", v), "w", map[string]any{"v": v})
	all["slog text"], all["slog JSON"] = text.String(), object.String()
	all["slog any"] = slog.AnyValue(v).Resolve().String()
	return all
}

// Dump prints everything that reflection reaches from v: unexported fields,
// through pointers, maps and interfaces. What lives in a function it cannot
// see, and neither can a printer of that kind.
func Dump(v any) string {
	d := dumper{seen: map[visit]bool{}}
	d.walk(reflect.ValueOf(v), 0)
	return d.String()
}

type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

type dumper struct {
	strings.Builder
	seen map[visit]bool
}

func (d *dumper) walk(v reflect.Value, depth int) {
	if depth > 200 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.WriteString(v.String() + "\n")
	case reflect.Pointer:
		at := visit{v.UnsafePointer(), v.Type()}
		if !v.IsNil() && !d.seen[at] {
			d.seen[at] = true
			d.walk(v.Elem(), depth+1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			d.walk(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.walk(v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		d.walkList(v, depth)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			d.walk(it.Key(), depth+1)
			d.walk(it.Value(), depth+1)
		}
	}
}

// walkList prints a list of bytes as text, and walks the elements of other lists.
func (d *dumper) walkList(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range v.Len() {
			d.walk(v.Index(i), depth+1)
		}
		return
	}
	for i := range v.Len() {
		d.WriteByte(byte(v.Index(i).Uint()))
	}
	d.WriteString("\n")
}
