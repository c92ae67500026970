package company

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestOf(t *testing.T) {
	posting := func(names ...string) *jobboard.JobPosting {
		return &jobboard.JobPosting{Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyCompanyName: names})}
	}
	looked := func(name string) *jobboard.JobInformation { return &jobboard.JobInformation{CompanyName: name} }
	for name, test := range map[string]struct {
		posting *jobboard.JobPosting
		job     *jobboard.JobInformation
		want    string
	}{
		"nothing is known":              {nil, nil, ""},
		"no posting":                    {nil, looked(" Lindenhof Kliniken GmbH "), "Lindenhof Kliniken GmbH"},
		"no lookup":                     {posting(" Klinik Nord "), nil, "Klinik Nord"},
		"both":                          {posting("Klinik Nord"), looked("Lindenhof Kliniken GmbH"), "Klinik Nord"},
		"the posting has no key":        {&jobboard.JobPosting{}, looked("Lindenhof"), "Lindenhof"},
		"the posting's is empty":        {posting(""), looked("Lindenhof"), "Lindenhof"},
		"the posting's is white space":  {posting("\u00a0\n"), looked("Lindenhof"), "Lindenhof"},
		"the posting's is invisible":    {posting("\u200b\ufeff"), looked("Lindenhof"), "Lindenhof"},
		"the posting has two":           {posting("Klinik Nord", "Klinik Süd"), looked("Lindenhof"), "Lindenhof"},
		"both are empty or not visible": {posting(""), looked("\u200e \u2060"), ""},
		"a name in Chinese":             {posting("北京医院"), looked("Lindenhof"), "北京医院"},
	} {
		if got := Of(test.posting, test.job); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
