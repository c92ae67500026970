package main

import (
	"io"
	"math"
	"text/template"
	"unicode/utf8"
)

// A panel of the chart compares one figure.
type panel struct {
	Title string
	Note  string // unit, and whether less or more is better
	Bars  []bar
}

type bar struct {
	Name  string
	Value float64
	Label string
	Ours  bool
}

// panelOf returns a panel with the times of the named results, in this order.
// unit is the unit of time in nanoseconds.
func panelOf(title string, all []*result, unit float64, unitName string, names ...string) panel {
	p := panel{Title: title, Note: unitName + ", less is better"}
	m := index(all)
	names = those(names...)
	for i, name := range names {
		r := m[name]
		label := number(r.time()/unit) + " " + unitName
		if i > 0 {
			label += ", " + times(m[names[0]].times(r))
		}
		p.Bars = append(p.Bars, bar{Name: name, Value: r.time() / unit, Label: label, Ours: isOurs(name)})
	}
	return p
}

func isOurs(name string) bool { return len(name) >= len(ours) && name[:len(ours)] == ours }

// The measures of the chart, in pixels.
const (
	chartWidth = 940
	nameWidth  = 290
	barMax     = 380
	barStep    = 22
	panelHead  = 46
	panelGap   = 18
)

type drawnPanel struct {
	panel
	Y    int
	Bars []drawnBar
}

type drawnBar struct {
	bar
	X, Y, TextY, LabelX int
	Width               float64
}

// writeChart draws the panels as SVG, for light pages and dark ones.
func writeChart(w io.Writer, caption string, panels []panel) error {
	y := 44
	var drawn []drawnPanel
	for _, p := range panels {
		d := drawnPanel{panel: p, Y: y + 18}
		most := 0.0
		for _, b := range p.Bars {
			if b.Value > most { // false for NaN
				most = b.Value
			}
		}
		y += panelHead - 16
		for _, b := range p.Bars {
			width := b.Value / most * barMax
			if !(width >= 1) || math.IsInf(width, 0) {
				width = 1
			}
			d.Bars = append(d.Bars, drawnBar{
				bar: b, X: nameWidth, Y: y, TextY: y + 12, Width: math.Round(width*10) / 10, LabelX: nameWidth + int(width) + 8,
			})
			y += barStep
		}
		y += panelGap
		drawn = append(drawn, d)
	}
	return chart.Execute(w, map[string]any{
		"Width": chartWidth, "Height": y + 6, "NameX": nameWidth - 10, "Caption": caption, "Panels": drawn,
	})
}

// escape makes text safe inside XML, and drops characters that are invalid in
// XML.
func escape(s string) string {
	var b []byte
	for _, r := range s {
		switch {
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '"':
			b = append(b, "&quot;"...)
		case r < ' ', r == utf8.RuneError:
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

var chart = template.Must(template.New("chart").Funcs(template.FuncMap{"x": escape}).Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" width="{{.Width}}" height="{{.Height}}" role="img" aria-label="{{x .Caption}}">
<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 14px; }
  .quiet { fill: #59636e; font-size: 12px; }
  .name { text-anchor: end; }
  .own { font-weight: 600; }
  .bar { fill: #9aa7b5; }
  .bar.own { fill: #0969da; }
  .page { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .bar { fill: #565f6a; }
    .bar.own { fill: #4493f8; }
    .page { fill: #0d1117; }
  }
</style>
<rect class="page" width="{{.Width}}" height="{{.Height}}" rx="8"/>
<text class="quiet" x="20" y="28">{{x .Caption}}</text>
{{- range .Panels}}
<text class="title" x="20" y="{{.Y}}">{{x .Title}} <tspan class="quiet" font-weight="400">{{x .Note}}</tspan></text>
{{- range .Bars}}
<text class="name{{if .Ours}} own{{end}}" x="{{$.NameX}}" y="{{.TextY}}">{{x .Name}}</text>
<rect class="bar{{if .Ours}} own{{end}}" x="{{.X}}" y="{{.Y}}" width="{{.Width}}" height="16" rx="2"/>
<text class="quiet" x="{{.LabelX}}" y="{{.TextY}}">{{x .Label}}</text>
{{- end}}
{{- end}}
</svg>
`))
