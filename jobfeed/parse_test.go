package jobfeed

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// tree is an element as encoding/xml sees it.
type tree struct {
	name     string // local, lower case
	attrs    []xml.Attr
	children []*tree
	direct   string // text in it
	text     string // text in it and its descendants
}

// readTree reads the element that raw begins with, with encoding/xml.
func readTree(raw []byte) (*tree, error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	var open []*tree
	for {
		tok, err := d.Token()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &tree{name: lower(tok.Name.Local), attrs: tok.Copy().Attr}
			if len(open) > 0 {
				parent := open[len(open)-1]
				parent.children = append(parent.children, n)
			}
			open = append(open, n)
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].direct += string(tok)
			}
			for _, n := range open {
				n.text += string(tok)
			}
		case xml.EndElement:
			if len(open) == 1 {
				return open[0], nil
			}
			open = open[:len(open)-1]
		case xml.Directive:
			return nil, fmt.Errorf("a directive")
		}
	}
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// all finds the elements at a path, in the order of the document.
func (n *tree) all(path ...string) (found []*tree) {
	if len(path) == 0 {
		return []*tree{n}
	}
	for _, c := range n.children {
		if c.name == path[0] {
			found = append(found, c.all(path[1:]...)...)
		}
	}
	return found
}

func (n *tree) first(path ...string) string {
	for _, c := range n.all(path...) {
		if s := strings.TrimSpace(c.text); s != "" {
			return s
		}
	}
	return ""
}

// id is the text of the IdValue that counts; nested: it holds an element.
func (n *tree) id() (text string, nested bool) {
	for _, c := range n.all("positionrecordinfo", "id", "idvalue") {
		if text := strings.TrimSpace(c.text); text != "" || len(c.children) > 0 {
			return text, len(c.children) > 0
		}
	}
	return "", false
}

// FuzzParse holds the parser against the tree of an entry: what is accepted,
// and what is read.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"/>", "></PositionOpening>", " a='b' xml:lang=\"de\"></PositionOpening >", "><a:b c='&#x41;&amp;'/>t]]&gt;<![CDATA[<]]]]><!-- - --><?pi x?></PositionOpening>",
		"><PositionRecordInfo><Id validFrom='2026-01-01' ><IdValue>\r\n4&#55;11</IdValue></Id></PositionRecordInfo></PositionOpening>",
		"><positionRecordInfo><id><idValue>a</idValue></id></positionRecordInfo></PositionOpening>",
		"><PositionRecordInfo><Id><IdValue>1<a>2</a></IdValue></Id></PositionRecordInfo></PositionOpening>",
		"><PositionProfile xml:lang='de'><PositionDetail><PositionTitle>a<b>b</b>\xc3\xbc</PositionTitle></PositionDetail></PositionProfile></PositionOpening>",
		"><PositionPostings><PositionPosting><Id validTo='x'/><Title>t</Title><Link>http://x</Link></PositionPosting></PositionPostings></PositionOpening>",
		"><PositionProfile><HowToApply><ApplicationMethod><InternetWebAddress>x</InternetWebAddress></ApplicationMethod></HowToApply></PositionProfile></PositionOpening>",
		"><PositionProfile><PositionDetail><PhysicalLocation><Name>n</Name><Area type='region'><Value>v</Value></Area></PhysicalLocation></PositionDetail></PositionProfile></PositionOpening>",
		"><!-- a -- b --></PositionOpening>", ">]]></PositionOpening>", ">&nbsp;</PositionOpening>", "><a></b></PositionOpening>", "><a b=c/></PositionOpening>", "><a b='<'/></PositionOpening>",
		"><a/ ></PositionOpening>", "><:a></:a><a:></a:><a:b:c/></PositionOpening>", ">&#0;&#xd800;&#x110000;</PositionOpening>", ">\x01</PositionOpening>", ">\xff</PositionOpening>", "></PositionOpening>x",
		"><PositionRecordInfo><Id><IdValue>1&#32;</IdValue></Id></PositionRecordInfo><PositionProfile><ProfileName>Gro&#xDF;</ProfileName></PositionProfile></PositionOpening>",
		"><PositionRecordInfo><Id><IdValue>7", "><a>text \x01", " a='1'b='2'/>", " a/>", "><?x?><??></PositionOpening>", "><!x></PositionOpening>", "><a b='\r\n\t'/>\r\r\n</PositionOpening>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw := append([]byte("<PositionOpening"), data...)
		e := new(Entry)
		fault := parse(raw, 64, e)
		well := fault == nil || fault.kind != ErrSyntax && fault.kind != ErrTooDeep
		if fault != nil && (fault.at < 0 || fault.at > len(raw)) {
			t.Fatalf("fault at %d of %d", fault.at, len(raw))
		}

		n, err := readTree(raw)
		if err != nil {
			// Our text is UTF-8 whatever a declaration in it says.
			if well && !bytes.Contains(raw, []byte("<?xml")) {
				t.Fatalf("accepted, but encoding/xml says %v\n%q", err, raw)
			}
			return
		}
		if !well {
			if fault.kind == ErrTooDeep {
				return
			}
			t.Fatalf("%v at %d: %s; encoding/xml accepts it\n%q", fault.kind, fault.at, fault.reason, raw)
		}
		switch id, nested := n.id(); {
		case nested:
			if fault == nil || fault.kind != ErrBadJobID {
				t.Fatalf("nested id: %v", fault)
			}
		case id == "":
			if fault == nil || fault.kind != ErrNoJobID {
				t.Fatalf("no id: %v", fault)
			}
		case fault == nil:
			if e.JobID.String() != strings.TrimLeft(id, "0") {
				t.Fatalf("id %v, want %q", e.JobID, id)
			}
		case fault.kind != ErrBadJobID:
			t.Fatalf("id %q: %v", id, fault)
		}
		if fault != nil {
			return
		}
		title := cmp.Or(n.first("positionprofile", "positiondetail", "positiontitle"), n.first("positionprofile", "profilename"))
		if title == "" {
			for _, c := range append(n.all("positionpostings", "positionposting", "title"), n.all("positionposting", "title")...) {
				title = cmp.Or(title, strings.TrimSpace(c.text))
			}
			if e.Title != "" && title != "" {
				title = e.Title // the order of the two places is not looked at
			}
		}
		if e.Title != title {
			t.Fatalf("title %q, want %q", e.Title, title)
		}
		if s := n.first("positionrecordinfo", "status"); e.Status != s {
			t.Fatalf("status %q, want %q", e.Status, s)
		}
		if len(n.all("positionposting")) == 0 {
			var links []Link
			for _, c := range n.all("positionpostings", "positionposting", "link") {
				if s := strings.TrimSpace(c.text); s != "" {
					links = append(links, Link{LinkPosting, s})
				}
			}
			var got []Link
			for _, l := range e.Links {
				if l.Kind == LinkPosting {
					got = append(got, l)
				}
			}
			if !reflect.DeepEqual(got, links) {
				t.Fatalf("links %v, want %v", got, links)
			}
		}
	})
}

// Names are compared without regard to the case of the letters A to Z alone.
func TestNamesInLowerCase(t *testing.T) {
	for c := range 256 {
		want := byte(c)
		if i := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ", byte(c)); i >= 0 {
			want = "abcdefghijklmnopqrstuvwxyz"[i]
		}
		var p parser
		if got := p.lower(string([]byte{byte(c)})); string(got) != string([]byte{want}) {
			t.Errorf("%q becomes %q", byte(c), got)
		}
	}
}
