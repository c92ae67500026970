package jobboardtest

// uglyAds are ends of advertisements as they occur: written in a word processor,
// pasted from mails, cut off by a field's length, or put there on purpose. A
// program that shows advertisements has to bear them; see PostingConfig.AdText
// of any client.
var uglyAds = []string{
	`<script>document.title = "ad"</script><p onclick="document.title='ad'">We look forward to you.</p>`,
	`<p>Unclosed <b>bold and <i>italic <ul><li>one<li>two</p></b> three <table><tr><td>cell`,
	`<div><div><table><td>a table <table><td>in a table</div></tr></table></p></span></i>` +
		`<img src="missing.png" onerror="document.title='ad'">`,
	`<style>body { display: none }</style><p style="position:fixed;inset:0;background:#fff">Over everything</p>` +
		`<link rel="stylesheet" href="https://styles.example/ad.css">`,
	`<a href="javascript:document.title='ad'">Apply</a> <a href="JaVaScRiPt&colon;document.title='ad'">or here</a> ` +
		`<a href="data:text/html,<script>1</script>">or there</a>`,
	`<svg onload="document.title='ad'"><style><!--</style><img title="--&gt;&lt;img src=x onerror=1&gt;"></svg>` +
		`<math><mtext><table><mglyph><style><!--</style>`,
	`<o:p>&nbsp;</o:p><p class="MsoNormal"><font color="red" size="7">&lt;b&gt;Twice escaped&lt;/b&gt; &amp;amp; &#x1F600;` +
		` &#0; &nosuch; </font><br><br><br><!-- a comment -- that never ends`,
	`<iframe src="https://frames.example/"></iframe><form action="https://forms.example/"><input name="user">` +
		`<button>Send</button></form><meta http-equiv="refresh" content="0;url=https://elsewhere.example/"><base href="https://base.example/">`,
}

// ugly returns the end of the n-th job's advertisement: every fifth from the ninth on
// has one.
func ugly(n int) string {
	if n < 8 || n%5 != 3 {
		return ""
	}
	return uglyAds[n/5%len(uglyAds)]
}
