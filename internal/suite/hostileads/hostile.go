// Package hostileads makes advertisements that want to do what an advertisement
// must not. They call alert where they run, and ask evil.example where they load.
package hostileads

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed vectors.txt
var vectors string

// Vectors returns the ads that others found: those of vectors.txt, the inputs in
// the tests of bluemonday, and those of the tests that every HTML parser is held
// against, which are in the module of x/net. The last two are read from the module
// cache, where every build of this module has them.
func Vectors() ([]string, error) {
	all := strings.Split(strings.TrimSpace(vectors), "\n")
	dir, err := moduleDir("github.com/microcosm-cc/bluemonday")
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "sanitize_test.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if s, err := strconv.Unquote(literal.Value); err == nil && strings.ContainsAny(s, "<&") {
				all = append(all, s)
			}
		}
		return true
	})
	if dir, err = moduleDir("golang.org/x/net"); err != nil {
		return nil, err
	}
	suites, err := filepath.Glob(filepath.Join(dir, "html/testdata/*/tree-construction/*.dat"))
	if err != nil || len(suites) < 20 {
		return nil, errors.Join(fmt.Errorf("%s has %d files of the tests of HTML parsers", dir, len(suites)), err)
	}
	for _, name := range suites {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, test := range strings.Split("\n"+string(content), "\n#data\n")[1:] {
			input, _, _ := strings.Cut(test, "\n#errors")
			all = append(all, input)
		}
	}
	return all, nil
}

func moduleDir(module string) (string, error) {
	out, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("where is %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Ads returns n ads: the vectors, and what becomes of them when they are put
// together, cut, nested and spelled otherwise, the same for the same seed.
func Ads(n int, seed uint64) ([]string, error) {
	known, err := Vectors()
	if err != nil {
		return nil, err
	}
	m := mutator{Rand: rand.New(rand.NewPCG(seed, 17)), known: known}
	ads := known[:min(n, len(known)):min(n, len(known))]
	for len(ads) < n {
		ads = append(ads, m.ad())
	}
	return ads, nil
}

type mutator struct {
	*rand.Rand
	known []string
}

func (m mutator) pick() string { return m.known[m.IntN(len(m.known))] }

func (m mutator) ad() string {
	// The hand-made ones come first, and more often.
	ad := m.known[m.IntN(min(len(m.known), 400))]
	if m.IntN(3) == 0 {
		ad = m.pick()
	}
	for range 1 + m.IntN(4) {
		ad = mutations[m.IntN(len(mutations))](m, ad)
		if len(ad) > 1<<14 {
			ad = ad[:1<<14]
		}
	}
	return ad
}

// names are the elements that parsers treat in ways of their own.
var names = strings.Fields(`a abbr address annotation-xml applet article b base body br button caption center code col
	colgroup dd desc details dialog div dl dt em embed fieldset font foreignObject form frame frameset h1 h6 head hr
	html i iframe image img input keygen li link listing main malignmark marquee math menu meta mglyph mi mtext nobr
	noembed noframes noscript object ol optgroup option p param plaintext pre rb rp rt rtc ruby s script section
	select small span strong style sub summary sup svg table tbody td template textarea tfoot th thead title tr tt u
	ul var video wbr xmp`)

var handlers = []string{
	` onerror=alert(1)`, ` onload=alert(1)`, ` onfocus=alert(1) autofocus tabindex=0`, ` ontoggle=alert(1) open`,
	` style="background:url(http://evil.example/x)"`, ` src=http://evil.example/x`, ` href=javascript:alert(1)`,
	` href="https://evil.example/" id=after-1 name=body`, ` onanimationstart="alert(1)" style="animation:x 1s"`,
	` srcdoc="<script>parent.alert(1)</script>"`, ` xlink:href="data:,alert(1)"`, ` class=after is=x`, ` colspan=9`,
}

// mutations each change an ad into another.
var mutations = []func(m mutator, ad string) string{
	// The ad before, or inside, another ad.
	func(m mutator, ad string) string { return ad + m.pick() },
	func(m mutator, ad string) string {
		other := m.pick()
		at := m.IntN(len(other) + 1)
		return other[:at] + ad + other[at:]
	},
	// Truncate the ad, or cut a piece out.
	func(m mutator, ad string) string { return ad[:m.IntN(len(ad)+1)] },
	func(m mutator, ad string) string {
		from := m.IntN(len(ad) + 1)
		return ad[:from] + ad[from+m.IntN(len(ad)-from+1):]
	},
	// Wrap the ad in elements, closed or not.
	func(m mutator, ad string) string {
		for range 1 + m.IntN(4) {
			name := names[m.IntN(len(names))]
			ad = "<" + name + handlers[m.IntN(len(handlers))] + ">" + ad
			if m.IntN(2) == 0 {
				ad += "</" + names[m.IntN(len(names))] + ">"
			} else {
				ad += "</" + name + ">"
			}
		}
		return ad
	},
	func(m mutator, ad string) string {
		open := ""
		for range 1 + m.IntN(5) {
			open += "<" + names[m.IntN(len(names))] + ">"
		}
		return strings.Repeat(open, 1+m.IntN(60)) + ad
	},
	// Replace an element's name.
	func(m mutator, ad string) string {
		return strings.ReplaceAll(ad, names[m.IntN(len(names))], names[m.IntN(len(names))])
	},
	// Add an attribute to every tag.
	func(m mutator, ad string) string {
		return strings.ReplaceAll(ad, ">", handlers[m.IntN(len(handlers))]+">")
	},
	// Insert characters that some HTML parsers skip.
	func(m mutator, ad string) string {
		strange := []string{"\x00", "\t", "\n", "\r", "\f", "/", "\x0b", "\u00a0", "\u2028", "\ufeff", "\xff", "\u200b", "`", "<", ">", "&", "\"", "'", "--", "=", "%00"}
		for range 1 + m.IntN(5) {
			at := m.IntN(len(ad) + 1)
			ad = ad[:at] + strange[m.IntN(len(strange))] + ad[at:]
		}
		return ad
	},
	// Other spellings: case, entities, escapes.
	func(m mutator, ad string) string {
		var out strings.Builder
		for _, r := range ad {
			switch m.IntN(12) {
			case 0:
				fmt.Fprintf(&out, "&#%d;", r)
			case 1:
				fmt.Fprintf(&out, "&#x%x", r)
			case 2, 3, 4:
				out.WriteString(strings.ToUpper(string(r)))
			default:
				out.WriteRune(r)
			}
		}
		return out.String()
	},
	func(m mutator, ad string) string {
		return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(ad) + m.pick()
	},
	// A comment, a section, a quote that opens and may not close.
	func(m mutator, ad string) string {
		open := []string{"<!--", "<![CDATA[", "<!", "<?", `<p title="`, `<p title='`, "<style>", "<xmp>", "</", "<!-->", "<svg><style>", "<math><mtext>"}
		return open[m.IntN(len(open))] + ad
	},
	// What is written anew: emphasis by style, bullets, links without a scheme, lines of plain text.
	func(m mutator, ad string) string {
		before := []string{
			`<span style="font-weight:bold">`, `<p style="font: italic bold x">`, `<div style="font-weight:700">`, `<b style="font-weight:normal">`,
			"<p>· ", "<p dir=rtl> •&nbsp;", "<p>·<span>", `<a href="www.evil.example/`, `<a href="//evil.example`, `<a href="../x`, "a\n• ", "a\n\nb <x@y.example> ",
			"<h1>x</h2>", "<h5>x<h1>",
		}
		for range 1 + m.IntN(6) {
			at := 0
			if places := strings.Count(ad, "<"); places > 0 {
				at = nth(ad, m.IntN(places))
			}
			ad = ad[:at] + before[m.IntN(len(before))] + ad[at:]
		}
		return ad
	},
	// Much of it.
	func(m mutator, ad string) string { return strings.Repeat(ad, 1+m.IntN(30)) },
}

// nth returns where the tag with this number begins.
func nth(ad string, number int) int {
	at := strings.IndexByte(ad, '<')
	for ; number > 0; number-- {
		at += 1 + strings.IndexByte(ad[at+1:], '<')
	}
	return at
}
