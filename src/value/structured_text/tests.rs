//! What is recognized, and what only looks so.

use toolshape_text::rows::head::HEAD;

use super::*;
use crate::value::source::{Source, item};

fn format(text: &str) -> Option<&'static str> {
    let structure = recognize(text, Formats::All);
    let start = text.char_indices().nth(HEAD).map_or(text, |(end, _)| &text[..end]);
    let may_be = may_be_structured(start, Formats::All, start.len() == text.len());
    assert!(may_be || structure.is_none(), "the start excludes what is recognized: {text:.60?}");
    structure.map(|structure| structure.format.name())
}

fn json(text: &str, formats: Formats) -> String {
    let structure = recognize(text, formats).expect("a structure");
    structure.source(text).json().unwrap().into_owned()
}

fn lines(first: &str, line: impl Fn(usize) -> String) -> String {
    format!("{first}{}", (0..40).map(line).collect::<String>())
}

#[test]
fn cells_are_numbers_that_every_host_spells_as_they_are() {
    let text = "n,a,b\n-0,007,1.50\n1E2,+1,\"3\"\n9007199254740993,1.,\n.5,NaN,\"a \"\"b\"\"\"\nx\"y,\" 1\",--1\n";
    let wanted = concat!(
        r#"[{"n":"-0","a":"007","b":"1.50"},{"n":"1E2","a":"+1","b":"3"},{"n":"9007199254740993","a":"1.","b":null},"#,
        r#"{"n":".5","a":"NaN","b":"a \"b\""},{"n":"x\"y","a":" 1","b":"--1"}]"#
    );
    assert_eq!(json(text, Formats::Delimited), wanted);
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let titles = |titles: &[&str]| {
        let titles: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
        header::distinct(&titles).iter().map(|name| name.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&["", "a", "a", ""]), ["column_1", "a", "a_2", "column_4"]);
    assert_eq!(titles(&["a", "a", "a_2", "a"]), ["a", "a_3", "a_2", "a_4"]);
    assert_eq!(titles(&["column_2", "", "a_2", "a", "a"]), ["column_2", "column_2_2", "a_2", "a", "a_3"]);
    assert_eq!(titles(&["a", "a", "a"]), ["a", "a_2", "a_3"]);
}

#[test]
fn rows_are_found_at_any_number() {
    let row = |at: usize| format!("{at},\"line\n{at}\"\r\n");
    let text = format!("id,text\r\n{}", (0..1000).map(row).collect::<String>());
    let structure = recognize(&text, Formats::All).expect("CSV");
    let source = structure.source(&text);
    assert_eq!(source.len(), 1000);
    for at in [0, 1, 63, 64, 65, 640, 999] {
        let wanted = format!("{{\"id\":{at},\"text\":\"line\\n{at}\"}}");
        assert_eq!(item(&source, at).unwrap().unwrap().json().unwrap(), wanted);
        assert_eq!(source.items(at, 3).unwrap().len(), 3.min(1000 - at));
    }
    assert!(source.items(1000, 1).unwrap().is_empty());
}

#[test]
fn a_lower_bound_of_the_length_is_none_above_it() {
    for text in [
        lines("id,name\n", |at| format!("{at},\n")),
        lines("id,name\n", |at| format!("{at},\"\"\"\"\n")) + "1",
        lines("", |at| format!("[ {at} ]\n")),
        lines("", |at| format!("---\nid: {at}\n")),
    ] {
        let structure = recognize(&text, Formats::All).expect("a structure");
        let source = structure.source(&text);
        let all = source.items(0, 99).unwrap();
        for value in all.iter().chain([&source]) {
            assert!(value.min_bytes(usize::MAX) <= value.json().unwrap().len(), "{}", value.json().unwrap());
        }
    }
}

#[test]
fn only_the_last_row_may_be_cut() {
    let cut = |text: &str| recognize(text, Formats::All).map(|structure| structure.is_cut);
    let csv = lines("id,name,x\n", |at| format!("{at},name,1\n"));
    assert_eq!(cut(&csv), Some(false));
    assert_eq!(cut(&format!("{csv}40,na")), Some(true));
    assert_eq!(cut(&format!("{csv}40,\"na,me\n")), None);
    assert_eq!(cut(&format!("{csv}40,\"na,me")), Some(true));
    assert_eq!(cut(&format!("{csv}40,na\n")), Some(false));
    let ndjson = lines("", |at| format!("{{\"id\":{at}}}\n"));
    assert_eq!(cut(&format!("{ndjson}{{\"id\":")), Some(true));
    assert_eq!(cut(&format!("{ndjson}{{\"id\":\n{{}}")), Some(false));
}

#[test]
fn a_table_in_markdown_keeps_what_surrounds_it() {
    let text = lines("# T\n\n| a | b |\n|--|--|\n", |at| format!("| {at} | x \\| `y` |\n")) + "\nEnd\n";
    let structure = recognize(&text, Formats::All).expect("a table");
    assert_eq!((&text[structure.before.clone()], &text[structure.after.clone()]), ("# T\n\n", "\nEnd\n"));
    let first = item(&structure.source(&text), 0).unwrap().unwrap();
    assert_eq!(first.json().unwrap(), r#"{"a":0,"b":"x | `y`"}"#);
}

#[test]
fn data_in_prose_keeps_what_surrounds_it_and_its_spelling() {
    let rows = "[{\"n\": 1.50, \"id\": 123456789012345678901234567890}, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]";
    let text = format!("Found [2]: {rows} .\n");
    let structure = recognize(&text, Formats::All).expect("data");
    assert_eq!((&text[structure.before.clone()], &text[structure.after.clone()]), ("Found [2]: ", " .\n"));
    assert_eq!(structure.json_span(&text), Some(rows));
    assert_eq!(structure.source(&text).json().unwrap(), rows.replace(' ', ""));
    let text = "Rows: [{'n': 1.50, 'é': \"it's\"}, {'n': -0, 'é': '\\u20ac\"'}, (None, True)] (3)";
    let structure = recognize(text, Formats::All).expect("data");
    assert_eq!((&text[structure.before.clone()], &text[structure.after.clone()]), ("Rows: ", " (3)"));
    assert_eq!(structure.source(text).json().unwrap(), r#"[{"n":1.50,"é":"it's"},{"n":-0,"é":"€\""},[null,true]]"#);
}

#[test]
fn the_start_of_prose_excludes_it() {
    let excluded = |text: &str| !may_be_structured(text, Formats::All, false);
    for sentence in ["Words (some [1], {few}) and 'more', \"all\" of it. ", "or [\"a\"] {'b': 1} [c](d) [0, 1, nan] "] {
        assert!(excluded(&(sentence.repeat(HEAD / sentence.len() - 1) + "Here are some more words.")), "{sentence}");
    }
    assert!(!excluded(&format!("Words: [{}", "\"word\", ".repeat(HEAD / 8))));
    assert!(!excluded(&format!("Words: [{}", "'word', ".repeat(HEAD / 8))));
}

#[test]
fn of_json_that_is_cut_what_is_whole_is_read() {
    let rows = lines("{\"total\": 90, \"rows\": [", |at| format!("{{\"id\": {at}, \"name\": \"a, \\\"b\\\" ]\"}},\n"));
    for cut in [
        "",
        "{\"id\"",
        "{\"id\": 4",
        "{\"id\": 40, \"name\": \"wor",
        "{\"id\": 40, \"name\": \"wor... [truncated, 3000 more bytes]",
        "... [3000 bytes truncated]",
        "…",
        "\n(output cut)",
    ] {
        let text = rows.clone() + cut;
        let structure = recognize(&text, Formats::All).expect(cut);
        assert!(structure.is_cut && structure.format.name() == "json", "{cut}");
        let read = json(&text, Formats::All);
        assert!(read.starts_with("{\"total\":90,\"rows\":[{\"id\":0,") && read.ends_with("]}"), "{cut}: {read}");
        assert!(read.contains("{\"id\":39,\"name\":\"a, \\\"b\\\" ]\"}"), "{read}");
    }
    let comma = recognize(&(rows.clone() + "]}"), Formats::All).unwrap();
    assert!(!comma.is_cut && comma.after.is_empty() && json(&(rows.clone() + "]}"), Formats::All).ends_with("]}"));
    let broken = rows.replacen("\"id\": 20", "\"id\" 20", 1);
    assert_eq!(format(&(broken + "]}")), None);
    assert_eq!(format("{\"text\": \"a long text that is cut"), None);
}

#[test]
fn what_is_said_after_the_rows_is_no_row() {
    let rows = lines("id,name,city\n", |at| format!("{at},name {at},a city\n"));
    for message in [
        "ERROR: connection lost, result is incomplete\n",
        "\nERROR: connection lost",
        "curl: (18) transfer closed\n",
        "{\"error\":\"timeout\"}\n",
        "(40 rows)\n\n",
        "Total: 80\n",
        "Total,,3\n",
        "\"Grand total\",780",
        "warning: slow\nERROR: gone\n",
    ] {
        let structure = recognize(&(rows.clone() + message), Formats::All).expect(message);
        let text = rows.clone() + message;
        assert_eq!(&text[structure.after.clone()], message.trim_start_matches('\n'), "{message}");
        assert!(json(&text, Formats::All).ends_with("\"a city\"}]"), "{message}");
    }
    for rest in ["40,na", "40,na me", "40,na\n", "40,\"two\nlines\",x\n", "Total recall,,3\n"] {
        let structure = recognize(&(rows.clone() + rest), Formats::All).expect(rest);
        assert!(structure.after.is_empty(), "{rest}");
    }
}

#[test]
fn lines_around_values_and_between_them_are_not_values() {
    let values = lines("", |at| format!("{{\"id\":{at}}}\n"));
    let text = format!("warning: slow\n\n{values}{{\"id\": BROKEN\n\n{{}}\nDone in 2 s\n");
    let structure = recognize(&text, Formats::All).unwrap();
    assert_eq!(
        (&text[structure.before.clone()], &text[structure.after.clone()]),
        ("warning: slow\n\n", "Done in 2 s\n")
    );
    assert_eq!(structure.skipped, Skipped::BadLines { count: 1, first: 43 });
    assert!(json(&text, Formats::All).ends_with("{\"id\":39},{}]"));
    let cut = format!("{values}oops\n{{}}\n{{\"id\":");
    let structure = recognize(&cut, Formats::All).unwrap();
    assert_eq!((structure.is_cut, &cut[structure.after.clone()]), (true, "{\"id\":"));
}

#[test]
fn values_that_follow_one_another_may_have_commas_between_them_or_be_of_python() {
    let commas = lines("", |at| format!("{{\"id\":{at}}},\n"));
    assert!(json(&commas, Formats::All).ends_with("{\"id\":38},{\"id\":39}]"));
    let python = lines("", |at| format!("{{'id': {at}, 'x': None}}\n"));
    assert_eq!(format(&python), Some("python"));
    assert!(json(&python, Formats::All).ends_with("{\"id\":39,\"x\":null}]"));
}

#[test]
fn a_title_or_a_fence_may_be_before_the_header() {
    let rows = lines("id,name,price\n", |at| format!("{at},a name,{at}.5\n"));
    for (before, after) in [("Report: prices\nOf: today\n\n", ""), ("Rows:\n```csv\n", "```\n40 rows")] {
        let text = format!("{before}{rows}{after}");
        let structure = recognize(&text, Formats::All).expect(before);
        assert_eq!((&text[structure.before.clone()], &text[structure.after.clone()]), (before, after));
        assert!(json(&text, Formats::All).ends_with("{\"id\":39,\"name\":\"a name\",\"price\":39.5}]"));
    }
}

#[test]
fn of_xml_that_is_cut_what_is_whole_is_read() {
    let rows = lines("<?xml version=\"1.0\"?><rows n=\"90\">", |at| format!("<row id=\"{at}\"><a>x</a></row>"));
    for cut in ["", "<row", "<row id=\"40\"><a>x", "<row id=\"40\"><", "<row id=\"40\"><a>x</a"] {
        let text = rows.clone() + cut;
        let structure = recognize(&text, Formats::All).expect(cut);
        assert_eq!((structure.is_cut, &text[structure.after.clone()]), (true, cut));
        assert!(json(&text, Formats::All).ends_with("{\"id\":39,\"a\":\"x\"}]}}"), "{cut}");
    }
    let whole = format!("{rows}</rows>");
    assert!(!recognize(&whole, Formats::All).unwrap().is_cut);
    for other in [whole.replace("</rows>", "</row>"), rows.replace("<?xml version=\"1.0\"?>", "")] {
        assert_eq!(format(&other), None);
    }
}

#[test]
fn elements_one_after_another_are_a_list_if_they_have_members() {
    let events = |row: &str| (0..40).map(|at| format!("<Event><Id>{at}</Id>{row}</Event>\r\n")).collect::<String>();
    assert!(json(&events(""), Formats::All).starts_with("{\"Event\":[{\"Id\":0},{\"Id\":1}"));
    for other in [events("") + "<Other><Id>1</Id></Other>", "<p>words</p>\n".repeat(40), events("") + "words"] {
        assert_eq!(format(&other), None);
    }
}

#[test]
fn xml_is_read_as_far_as_its_data_are_not_copied_too_often() {
    let within = |levels: usize| {
        let cells = "<b>0123456789 0123456789 0123456789</b>".repeat(80_000);
        format!("{}{cells}{}", "<a>".repeat(levels), "</a>".repeat(levels))
    };
    assert_eq!(format(&within(1)), Some("xml"));
    assert_eq!(format(&within(60)), None);
}

#[test]
fn commas_before_a_space_are_text_where_rows_have_cells_of_the_header_without_them() {
    let csv = |row: &dyn Fn(usize) -> String| lines("id,agent,n\n", |at| row(at) + "\n");
    let agents = csv(&|at| format!("{at},Mozilla (KHTML, like Gecko) x,{at}"));
    assert_eq!(format(&agents), Some("csv"));
    assert!(json(&agents, Formats::All).contains("{\"id\":39,\"agent\":\"Mozilla (KHTML, like Gecko) x\",\"n\":39}"));
    let few = csv(&|at| if at == 7 { "7,a, b,7".to_owned() } else { format!("{at},a,{at}") });
    assert!(json(&few, Formats::All).contains("{\"id\":7,\"agent\":\"a, b\",\"n\":7}"));
    let semicolons = lines("id;note;n\n", |at| format!("{at};first; then second;{at}\n"));
    assert_eq!(format(&semicolons), Some("csv"));
    // Commas without a space are those of cells.
    assert_eq!(format(&csv(&|at| format!("{at},a,b,{at}"))), None);
    let prose = lines("Dear all,\n", |at| format!("this is a line, of prose, with number {at},\n"));
    assert_eq!(format(&prose), None);
}

#[test]
fn a_few_rows_with_other_cells_are_rows_all_the_same() {
    let csv = |other: &str| {
        lines("id,name,price\n", |at| format!("{at},name,{at}.5\n")) + other + &lines("", |at| format!("{at},n,1\n"))
    };
    let read = json(&csv("40,na,me,1.5\n"), Formats::All);
    assert!(
        read.contains(r#"{"id":40,"name":"na","price":"me","column_4":1.5},{"id":0,"name":"n","price":1}"#),
        "{read}"
    );
    for other in ["a,b,c,d\n".repeat(4), "a\n".repeat(4), format!("a{}\n", ",b".repeat(30)), "a,\"b\"c,d\n".to_owned()]
    {
        assert_eq!(format(&csv(&other)), None, "{other}");
    }
}
