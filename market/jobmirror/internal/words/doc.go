// Package words decides which words find which texts: a posting's texts and what
// somebody types pass through it, and become the tokens of a text index. It knows no
// database.
//
// A word is a run of letters, marks and digits, in lower case and in Unicode's form
// NFKC. It is found
//
//   - as a form: another word has the same stem. In German the two genders of a job title
//     have one stem;
//   - in another spelling: a word has two keys, plain (marks are taken off, ß is ss)
//     and spelled (ä is ae, ö is oe, ü is ue, ß is ss, and then marks are taken off).
//     Two words agree if their plain keys are equal, or their spelled keys. So groesse
//     finds Größe, and does not find grosse;
//   - by a part of four letters or more, in the title and the other short texts of a
//     posting: every word of these texts is indexed by pieces as well, and a part is found
//     as a piece, as the beginning of one, or as several overlapping pieces.
package words
