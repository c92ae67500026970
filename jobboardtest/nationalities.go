package jobboardtest

import (
	"strconv"
	"strings"
	"sync"
)

type catalogues struct{ german, english []Choice }

// nationalities are the built-in catalogues; the same person has the same
// identifier in both languages.
var nationalities = sync.OnceValue(func() catalogues {
	var c catalogues
	id := 2800100
	for line := range strings.SplitSeq(strings.TrimSpace(nationalityTable), "\n") {
		for entry := range strings.SplitSeq(line, ", ") {
			english, german, _ := strings.Cut(strings.TrimSpace(entry), "=")
			c.english = append(c.english, Choice{strconv.Itoa(id), english})
			c.german = append(c.german, Choice{strconv.Itoa(id), german})
			id++
		}
	}
	return c
})

const nationalityTable = `
Afghan=afghanisch, Albanian=albanisch, Algerian=algerisch, Andorran=andorranisch, Angolan=angolanisch, Antiguan=antiguanisch, Argentine=argentinisch, Armenian=armenisch, Australian=australisch, Austrian=österreichisch
Azerbaijani=aserbaidschanisch, Bahamian=bahamaisch, Bahraini=bahrainisch, Bangladeshi=bangladeschisch, Barbadian=barbadisch, Belarusian=belarussisch, Belgian=belgisch, Belizean=belizisch, Beninese=beninisch, Bhutanese=bhutanisch
Bolivian=bolivianisch, Bosnian=bosnisch-herzegowinisch, Botswanan=botsuanisch, Brazilian=brasilianisch, British=britisch, Bruneian=bruneiisch, Bulgarian=bulgarisch, Burkinabe=burkinisch, Burundian=burundisch, Cambodian=kambodschanisch
Cameroonian=kamerunisch, Canadian=kanadisch, Cape Verdean=kapverdisch, Central African=zentralafrikanisch, Chadian=tschadisch, Chilean=chilenisch, Chinese=chinesisch, Colombian=kolumbianisch, Comorian=komorisch, Congolese (Republic)=kongolesisch (Republik)
Congolese (Democratic Republic)=kongolesisch (Demokratische Republik), Cook Islander=cookinsulanisch, Costa Rican=costa-ricanisch, Croatian=kroatisch, Cuban=kubanisch, Cypriot=zyprisch, Czech=tschechisch, Danish=dänisch, Djiboutian=dschibutisch, Dominican (Dominica)=dominicanisch
Dominican (Republic)=dominikanisch, Dutch=niederländisch, East Timorese=timoresisch, Ecuadorian=ecuadorianisch, Egyptian=ägyptisch, Emirati=emiratisch, Equatorial Guinean=äquatorialguineisch, Eritrean=eritreisch, Estonian=estnisch, Eswatini=eswatinisch
Ethiopian=äthiopisch, Fijian=fidschianisch, Filipino=philippinisch, Finnish=finnisch, French=französisch, Gabonese=gabunisch, Gambian=gambisch, Georgian=georgisch, German=deutsch, Ghanaian=ghanaisch
Greek=griechisch, Grenadian=grenadisch, Guatemalan=guatemaltekisch, Guinea-Bissauan=guinea-bissauisch, Guinean=guineisch, Guyanese=guyanisch, Haitian=haitianisch, Honduran=honduranisch, Hungarian=ungarisch, Icelandic=isländisch
Indian=indisch, Indonesian=indonesisch, Iranian=iranisch, Iraqi=irakisch, Irish=irisch, Israeli=israelisch, Italian=italienisch, Ivorian=ivorisch, Jamaican=jamaikanisch, Japanese=japanisch
Jordanian=jordanisch, Kazakh=kasachisch, Kenyan=kenianisch, Kiribati=kiribatisch, Kosovar=kosovarisch, Kuwaiti=kuwaitisch, Kyrgyz=kirgisisch, Lao=laotisch, Latvian=lettisch, Lebanese=libanesisch
Lesothan=lesothisch, Liberian=liberianisch, Libyan=libysch, Liechtenstein=liechtensteinisch, Lithuanian=litauisch, Luxembourgish=luxemburgisch, Malagasy=madagassisch, Malawian=malawisch, Malaysian=malaysisch, Maldivian=maledivisch
Malian=malisch, Maltese=maltesisch, Marshallese=marshallisch, Mauritanian=mauretanisch, Mauritian=mauritisch, Mexican=mexikanisch, Micronesian=mikronesisch, Moldovan=moldauisch, Monegasque=monegassisch, Mongolian=mongolisch
Montenegrin=montenegrinisch, Moroccan=marokkanisch, Mozambican=mosambikanisch, Myanmar=myanmarisch, Namibian=namibisch, Nauruan=nauruisch, Nepalese=nepalesisch, New Zealand=neuseeländisch, Nicaraguan=nicaraguanisch, Nigerien=nigrisch
Nigerian=nigerianisch, Niuean=niueanisch, North Korean=nordkoreanisch, North Macedonian=nordmazedonisch, Norwegian=norwegisch, Omani=omanisch, Pakistani=pakistanisch, Palauan=palauisch, Palestinian=palästinensisch, Panamanian=panamaisch
Papua New Guinean=papua-neuguineisch, Paraguayan=paraguayisch, Peruvian=peruanisch, Polish=polnisch, Portuguese=portugiesisch, Qatari=katarisch, Romanian=rumänisch, Russian=russisch, Rwandan=ruandisch, Kittitian=von St. Kitts und Nevis
Saint Lucian=lucianisch, Vincentian=vincentisch, Salvadoran=salvadorianisch, Sammarinese=san-marinesisch, Samoan=samoanisch, São Toméan=são-toméisch, Saudi=saudi-arabisch, Senegalese=senegalesisch, Serbian=serbisch, Seychellois=seychellisch
Sierra Leonean=sierra-leonisch, Singaporean=singapurisch, Slovak=slowakisch, Slovene=slowenisch, Solomon Islander=salomonisch, Somali=somalisch, South African=südafrikanisch, South Korean=südkoreanisch, South Sudanese=südsudanesisch, Spanish=spanisch
Sri Lankan=sri-lankisch, Sudanese=sudanesisch, Surinamese=surinamisch, Swedish=schwedisch, Swiss=schweizerisch, Syrian=syrisch, Taiwanese=taiwanisch, Tajik=tadschikisch, Tanzanian=tansanisch, Thai=thailändisch
Togolese=togoisch, Tongan=tongaisch, Trinidadian=von Trinidad und Tobago, Tunisian=tunesisch, Turkish=türkisch, Turkmen=turkmenisch, Tuvaluan=tuvaluisch, Ugandan=ugandisch, Ukrainian=ukrainisch, Uruguayan=uruguayisch
American=amerikanisch, Uzbek=usbekisch, Vanuatuan=vanuatuisch, Vatican=vatikanisch, Venezuelan=venezolanisch, Vietnamese=vietnamesisch, Yemeni=jemenitisch, Zambian=sambisch, Zimbabwean=simbabwisch, Stateless=staatenlos
Not stated=ohne Angabe, Unresolved=ungeklärt
`
