//! Whether rows are one page of the tool's own, over the forms in which public APIs document their pages.

use serde_json::{Value, json};
use toolshape::host::Naming;
use toolshape::{Call, Policy, Shaper};

const ROWS: usize = 30;

/// What texts say before rows, and after them, and how many rows there are in all.
const STATED: &[(&str, &str, Option<u64>)] = &[
    ("Showing 30 of 412\n\n", "", Some(412)),
    ("Results 31 - 60 of about 5,320\n\n", "", Some(5320)),
    ("Found 412 people, showing the first 30.\n\n", "", Some(412)),
    ("", "(30 of 412 rows shown)\n", Some(412)),
    ("Page 2 of 9\n\n", "", None),
    ("HTTP/1.1 200 OK\nContent-Type: text/csv\nX-Total-Count: 412\n\n", "", Some(412)),
    ("HTTP/1.1 206 Partial Content\nContent-Range: items 0-29/412\n\n", "", Some(412)),
    ("HTTP/2 200\nlink: <https://x.example/u?page=2>; rel=\"next\"\n\n", "", None),
];

/// What texts say about whole lists.
const TOLD_OF_ALL: &[&str] = &[
    "Showing 30 of 30\n\n",
    "30 rows in 412 ms\n\n",
    "Chapter 3 of 412\n\n",
    "We met 30 customers of 2,500 employees each.\n\n",
    "HTTP/1.1 200 OK\nx-ratelimit-limit: 5000\nx-ratelimit-remaining: 4999\ncontent-length: 41200\n\n",
    "HTTP/1.1 200 OK\nx-total-count: 30\n\n",
];

/// What is beside a list, an argument of the tool, and what the note says that it takes for the next page.
const TAKEN: &[(&str, &str, &str)] = &[
    (r#""next":"https://x.example/u?page=3&per_page=30""#, "page", "page set to 3"),
    (r#""links":{"next":"/u?page%5Bnumber%5D=3"}"#, "page", "page set to 3"),
    (r#""nextLink":"https://x.example/u?pageToken=XyZ123abc""#, "page_token", "page_token set to XyZ123abc"),
    (r#""headers":{"link":"<https://x.example/u?offset=30>; rel=\"next\""}"#, "offset", "offset set to 30"),
    (r#""next":"https://x.example/u?page=3&per_page=30""#, "per_page", ""),
    (r#""next":"https://x.example/u?id=3""#, "id", ""),
];

/// Each API with what it returns, how many rows it has in all, and the start of what leads to the next page.
const PAGES: &[(&str, &str, Option<u64>, &str)] = &[
    ("GitHub, search", r#"{"total_count":5000,"incomplete_results":false,"items":ROWS}"#, Some(5000), ""),
    ("GitHub, timed out", r#"{"total_count":30,"incomplete_results":true,"items":ROWS}"#, None, ""),
    ("Stripe", r#"{"object":"list","url":"/v1/charges","has_more":true,"data":ROWS}"#, None, ""),
    (
        "Slack",
        r#"{"ok":true,"channels":ROWS,"response_metadata":{"next_cursor":"dGVhbTpDMDYxRkE1UEI="}}"#,
        None,
        "dGVhb",
    ),
    (
        "X",
        r#"{"data":ROWS,"meta":{"newest_id":"17","oldest_id":"1","result_count":30,"next_token":"7140w"}}"#,
        None,
        "7140w",
    ),
    (
        "YouTube",
        r#"{"kind":"youtube#searchListResponse","etag":"m2","nextPageToken":"CAUQAA","regionCode":"KZ","pageInfo":{"totalResults":4249,"resultsPerPage":30},"items":ROWS}"#,
        Some(4249),
        "CAUQAA",
    ),
    (
        "Notion",
        r#"{"object":"list","results":ROWS,"next_cursor":"fe2cc560-036c-44cd","has_more":true,"type":"block","block":{}}"#,
        None,
        "fe2cc",
    ),
    (
        "Confluence",
        r#"{"results":ROWS,"start":0,"limit":30,"size":30,"_links":{"base":"https://x.example/wiki","context":"/wiki","next":"/rest/api/content?limit=30&start=30","self":"/rest/api/content"}}"#,
        None,
        "/rest/api/content?limit",
    ),
    (
        "Kubernetes",
        r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10245","continue":"ENCODED_TOKEN_2","remainingItemCount":1253},"items":ROWS}"#,
        Some(1283),
        "ENCODED",
    ),
    (
        "Salesforce",
        r#"{"totalSize":3222,"done":false,"nextRecordsUrl":"/services/data/v61.0/query/01gRO0000016PIAYA2-500","records":ROWS}"#,
        Some(3222),
        "/services",
    ),
    (
        "Bitbucket",
        r#"{"pagelen":30,"size":500,"page":1,"next":"https://x.example/2.0/repositories?page=2","values":ROWS}"#,
        Some(500),
        "https",
    ),
    (
        "HubSpot",
        r#"{"results":ROWS,"paging":{"next":{"after":"NTI1Cg%3D%3D","link":"?after=NTI1Cg%3D%3D"}}}"#,
        None,
        "",
    ),
    (
        "Graph API of Facebook",
        r#"{"data":ROWS,"paging":{"cursors":{"before":"QVFI","after":"QVFIUz"},"next":"https://x.example/me/posts?after=QVFIUz"}}"#,
        None,
        "",
    ),
    (
        "Spring Data",
        r#"{"content":ROWS,"pageable":{"pageNumber":0,"pageSize":30,"offset":0,"paged":true},"totalPages":5,"totalElements":143,"last":false,"size":30,"number":0,"first":true,"numberOfElements":30,"empty":false}"#,
        Some(143),
        "",
    ),
    (
        "Zendesk",
        r#"{"tickets":ROWS,"meta":{"has_more":true,"after_cursor":"eyJvIjoiaWQi","before_cursor":"eyJvIjoi"},"links":{"prev":"https://x.example/t?page[before]=1","next":"https://x.example/t?page[after]=2"}}"#,
        None,
        "",
    ),
    (
        "Algolia",
        r#"{"hits":ROWS,"nbHits":300,"page":0,"nbPages":10,"hitsPerPage":30,"exhaustiveNbHits":true,"query":"x","processingTimeMS":1}"#,
        Some(300),
        "",
    ),
    (
        "Solr",
        r#"{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":5000,"start":0,"numFoundExact":true,"docs":ROWS}}"#,
        Some(5000),
        "",
    ),
    (
        "Solr, deep",
        r#"{"response":{"numFound":5000,"start":0,"docs":ROWS},"nextCursorMark":"AoE3ZjE="}"#,
        Some(5000),
        "AoE3",
    ),
    (
        "MediaWiki",
        r#"{"batchcomplete":"","continue":{"sroffset":30,"continue":"-||"},"query":{"searchinfo":{"totalhits":4321},"search":ROWS}}"#,
        Some(4321),
        "",
    ),
    (
        "Crossref",
        r#"{"status":"ok","message-type":"work-list","message":{"facets":{},"total-results":15000,"items-per-page":30,"query":{"start-index":0,"search-terms":null},"items":ROWS}}"#,
        Some(15000),
        "",
    ),
    (
        "PubMed",
        r#"{"header":{"type":"esearch","version":"0.3"},"esearchresult":{"count":"12345","retmax":"30","retstart":"0","idlist":ROWS}}"#,
        Some(12345),
        "",
    ),
    ("Semantic Scholar", r#"{"total":8000,"offset":0,"next":30,"data":ROWS}"#, Some(8000), "30"),
    (
        "Discourse",
        r#"{"users":[],"topic_list":{"can_create_topic":false,"more_topics_url":"/latest?no_definitions=true&page=1","per_page":30,"topics":ROWS}}"#,
        None,
        "/latest",
    ),
    (
        "Reddit",
        r#"{"kind":"Listing","data":{"modhash":"","dist":30,"before":null,"after":"t3_15bfi0x","children":ROWS}}"#,
        None,
        "t3_15",
    ),
    ("Stack Exchange", r#"{"items":ROWS,"has_more":true,"quota_max":300,"quota_remaining":287}"#, None, ""),
    (
        "SCIM",
        r#"{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":100,"itemsPerPage":30,"startIndex":1,"Resources":ROWS}"#,
        Some(100),
        "",
    ),
    ("PagerDuty", r#"{"incidents":ROWS,"limit":30,"offset":0,"more":true,"total":null}"#, None, ""),
    (
        "Cloudflare",
        r#"{"success":true,"errors":[],"messages":[],"result":ROWS,"result_info":{"page":1,"per_page":30,"count":30,"total_count":2000,"total_pages":67}}"#,
        Some(2000),
        "",
    ),
    (
        "DigitalOcean",
        r#"{"droplets":ROWS,"links":{"pages":{"last":"https://x.example/v2/droplets?page=10","next":"https://x.example/v2/droplets?page=2"}},"meta":{"total":300}}"#,
        Some(300),
        "",
    ),
    ("Airtable", r#"{"records":ROWS,"offset":"itrGh4JqbwEuG/rec560UJdUtocSouk"}"#, None, "itrGh"),
    ("ArcGIS", r#"{"objectIdFieldName":"OBJECTID","exceededTransferLimit":true,"features":ROWS}"#, None, ""),
    (
        "WFS",
        r#"{"type":"FeatureCollection","totalFeatures":4520,"numberMatched":4520,"numberReturned":30,"timeStamp":"2024-05-01T10:00:00Z","features":ROWS}"#,
        Some(4520),
        "",
    ),
    (
        "STAC",
        r#"{"type":"FeatureCollection","context":{"returned":30,"limit":30,"matched":1422},"features":ROWS,"links":[{"rel":"next","method":"GET","href":"https://x.example/search?token=next:abc"}]}"#,
        Some(1422),
        "https",
    ),
    (
        "Asana",
        r#"{"data":ROWS,"next_page":{"offset":"eyJ0eXAiOJiKV1iQ","path":"/tasks?limit=30","uri":"https://x.example/tasks"}}"#,
        None,
        "",
    ),
    (
        "Intercom",
        r#"{"type":"list","data":ROWS,"total_count":410,"pages":{"type":"pages","next":{"page":2,"starting_after":"WzE3NDk="},"page":1,"per_page":30,"total_pages":14}}"#,
        Some(410),
        "",
    ),
    (
        "Twilio",
        r#"{"calls":ROWS,"end":29,"first_page_uri":"/2010/Calls.json?Page=0","next_page_uri":"/2010/Calls.json?Page=1","page":0,"page_size":30,"previous_page_uri":null,"start":0,"uri":"/2010/Calls.json"}"#,
        None,
        "/2010/Calls.json?Page=1",
    ),
    ("Square", r#"{"cursor":"9TZgVcPG0kMrpcTo1ZtVUYVWlKCSUx","customers":ROWS}"#, None, "9TZgV"),
    (
        "Plaid",
        r#"{"item":{"item_id":"eVBn","webhook":""},"total_transactions":1208,"request_id":"45QSn","transactions":ROWS}"#,
        Some(1208),
        "",
    ),
    ("Box", r#"{"limit":30,"next_marker":"JV9IRGZmieiBasejOG9yDCRNgd2ymoZI","entries":ROWS}"#, None, "JV9I"),
    (
        "BigQuery",
        r#"{"kind":"bigquery#queryResponse","jobComplete":true,"totalRows":"1000000","pageToken":"BEMC3ALJAEAQ","rows":ROWS}"#,
        Some(1_000_000),
        "BEMC",
    ),
    (
        "NVD",
        r#"{"resultsPerPage":30,"startIndex":0,"totalResults":240100,"format":"NVD_CVE","version":"2.0","timestamp":"2024-05-01T10:00:00","vulnerabilities":ROWS}"#,
        Some(240_100),
        "",
    ),
    (
        "openFDA",
        r#"{"meta":{"disclaimer":"Do not rely on it.","license":"https://x.example/license/","last_updated":"2024-05-01","results":{"skip":0,"limit":30,"total":9000}},"results":ROWS}"#,
        Some(9000),
        "",
    ),
    ("World Bank", r#"[{"page":1,"pages":6,"per_page":30,"total":180},ROWS]"#, Some(180), ""),
    ("OMDb", r#"{"Search":ROWS,"totalResults":"347","Response":"True"}"#, Some(347), ""),
    (
        "Europe PMC",
        r#"{"version":"6.9","hitCount":51234,"nextCursorMark":"AoIIP4","request":{"queryString":"x","pageSize":30},"resultList":{"result":ROWS}}"#,
        Some(51234),
        "AoIIP4",
    ),
    ("LinkedIn", r#"{"paging":{"start":0,"count":30,"total":96,"links":[]},"elements":ROWS}"#, Some(96), ""),
    (
        "Xero",
        r#"{"Status":"OK","pagination":{"page":1,"pageSize":30,"pageCount":4,"itemCount":101},"Invoices":ROWS}"#,
        Some(101),
        "",
    ),
    (
        "QuickBooks",
        r#"{"QueryResponse":{"Invoice":ROWS,"startPosition":1,"maxResults":30,"totalCount":92},"time":"2024-05-01T10:00:00Z"}"#,
        Some(92),
        "",
    ),
    ("Sourcegraph", r#"{"data":{"search":{"results":{"matchCount":30,"limitHit":true,"results":ROWS}}}}"#, None, ""),
    (
        "Laravel",
        r#"{"current_page":1,"data":ROWS,"from":1,"last_page":10,"per_page":30,"to":30,"total":291,"next_page_url":"https://x.example/u?page=2","prev_page_url":null}"#,
        Some(291),
        "https",
    ),
    (
        "S3",
        r#"{"Name":"b","Prefix":"","KeyCount":30,"MaxKeys":30,"IsTruncated":true,"NextContinuationToken":"1ueGcxLPRx1Tr","Contents":ROWS}"#,
        None,
        "1ueG",
    ),
    ("IAM", r#"{"Users":ROWS,"IsTruncated":true,"Marker":"AAEBB"}"#, None, ""),
    ("OpenAI", r#"{"object":"list","data":ROWS,"first_id":"file-a1","last_id":"file-z9","has_more":true}"#, None, ""),
    ("Matrix", r#"{"chunk":ROWS,"next_batch":"p190q","total_room_count_estimate":115}"#, None, "p190q"),
    (
        "a server of search",
        r#"{"matches":ROWS,"matchesShown":30,"totalMatches":512,"truncatedByLimit":true}"#,
        Some(512),
        "",
    ),
    ("a server in words", r#"{"rows":ROWS,"showing":30,"out_of":9000}"#, Some(9000), ""),
    ("rows that remain", r#"{"entries":ROWS,"remaining":470}"#, Some(500), ""),
    ("Spanish words", r#"{"resultados":ROWS,"total_resultados":812,"pagina":1,"paginas":28}"#, Some(812), ""),
    (
        "Pipedrive",
        r#"{"success":true,"data":ROWS,"additional_data":{"pagination":{"start":0,"limit":30,"more_items_in_collection":true,"next_start":30}}}"#,
        None,
        "30",
    ),
    (
        "Mailchimp",
        r#"{"lists":ROWS,"total_items":812,"_links":[{"rel":"self","href":"https://x.example/lists"}]}"#,
        Some(812),
        "",
    ),
    (
        "SendGrid",
        r#"{"result":ROWS,"_metadata":{"prev":"https://x.example/l?page_token=","self":"https://x.example/l","next":"https://x.example/l?page_token=a1","count":812}}"#,
        Some(812),
        "https",
    ),
    (
        "Harvest",
        r#"{"time_entries":ROWS,"per_page":30,"total_pages":14,"total_entries":412,"next_page":2,"previous_page":null,"page":1,"links":{"first":"https://x.example?page=1","next":"https://x.example?page=2"}}"#,
        Some(412),
        "",
    ),
    (
        "Zoom",
        r#"{"page_count":5,"page_size":30,"total_records":150,"next_page_token":"w7587w4eiyfsudgf","users":ROWS}"#,
        Some(150),
        "w7587",
    ),
    (
        "Calendly",
        r#"{"collection":ROWS,"pagination":{"count":30,"next_page":"https://x.example/s?page_token=s","next_page_token":"sNjq4TvM","previous_page":null}}"#,
        None,
        "",
    ),
    ("Typeform", r#"{"total_items":900,"page_count":30,"items":ROWS}"#, Some(900), ""),
    ("ClickUp", r#"{"tasks":ROWS,"last_page":false}"#, None, ""),
    (
        "Vercel",
        r#"{"deployments":ROWS,"pagination":{"count":30,"next":1540095775951,"prev":1540095775941}}"#,
        None,
        "1540095775951",
    ),
    (
        "Fastly",
        r#"{"data":ROWS,"links":{"last":"https://x.example?page=4","next":"https://x.example?page=2"},"meta":{"current_page":1,"per_page":30,"record_count":120,"total_pages":4}}"#,
        Some(120),
        "https",
    ),
    (
        "NerdGraph",
        r#"{"data":{"actor":{"entitySearch":{"count":812,"results":{"nextCursor":"FnlFBF","entities":ROWS}}}}}"#,
        Some(812),
        "FnlFBF",
    ),
    ("Grafana", r#"{"page":1,"perPage":30,"totalCount":200,"users":ROWS}"#, Some(200), ""),
    ("Nexus", r#"{"items":ROWS,"continuationToken":"88491cd1d185dd136f143f20c4e7d50c"}"#, None, "88491"),
    ("Artifactory", r#"{"results":ROWS,"range":{"start_pos":0,"end_pos":30,"total":412,"limit":30}}"#, Some(412), ""),
    ("SonarQube", r#"{"paging":{"pageIndex":1,"pageSize":30,"total":412},"issues":ROWS}"#, Some(412), ""),
    (
        "TeamCity",
        r#"{"count":30,"nextHref":"/app/rest/builds?locator=start:30","href":"/app/rest/builds","build":ROWS}"#,
        None,
        "/app/rest/builds?locator",
    ),
    (
        "Phabricator",
        r#"{"result":{"data":ROWS,"maps":{},"query":{},"cursor":{"limit":30,"after":"1002","before":null}},"error_code":null}"#,
        None,
        "1002",
    ),
    ("Redmine", r#"{"issues":ROWS,"total_count":812,"offset":0,"limit":30}"#, Some(812), ""),
    (
        "Snyk",
        r#"{"jsonapi":{"version":"1.0"},"data":ROWS,"links":{"next":"/orgs?starting_after=v1.eyJ"}}"#,
        None,
        "/orgs",
    ),
    ("Internet Archive", r#"{"items":ROWS,"count":30,"cursor":"W3siaWRlbnRpZ","total":8120}"#, Some(8120), "W3si"),
    (
        "DBLP",
        r#"{"result":{"query":"x","status":{"@code":"200"},"hits":{"@total":"812","@computed":"30","@sent":"30","@first":"0","hit":ROWS}}}"#,
        Some(812),
        "",
    ),
    (
        "Europeana",
        r#"{"apikey":"x","success":true,"requestNumber":999,"itemsCount":30,"totalResults":51234,"items":ROWS}"#,
        Some(51_234),
        "",
    ),
    ("ORCID", r#"{"num-found":812,"result":ROWS}"#, Some(812), ""),
    (
        "Amadeus",
        r#"{"meta":{"count":812,"links":{"self":"https://x.example/a","next":"https://x.example/a?page=2"}},"data":ROWS}"#,
        Some(812),
        "https",
    ),
    (
        "TikTok",
        r#"{"data":{"videos":ROWS,"cursor":1643332803000,"has_more":true},"error":{"code":"ok","log_id":"x"}}"#,
        None,
        "",
    ),
    ("Twitch", r#"{"data":ROWS,"pagination":{"cursor":"eyJiIjpudWxsLCJhIjp7"}}"#, None, "eyJi"),
    (
        "New York Times",
        r#"{"status":"OK","response":{"docs":ROWS,"meta":{"hits":5000,"offset":0,"time":12}}}"#,
        Some(5000),
        "",
    ),
    ("MusicBrainz", r#"{"recording-count":5000,"recording-offset":0,"recordings":ROWS}"#, Some(5000), ""),
    ("Steam", r#"{"assets":ROWS,"more_items":1,"last_assetid":"123","success":1}"#, None, ""),
    ("Quay", r#"{"tags":ROWS,"page":1,"has_additional":true}"#, None, ""),
    (
        "OpenSearch",
        r#"{"feed":{"opensearch:totalResults":5000,"opensearch:startIndex":0,"opensearch:itemsPerPage":30,"entry":ROWS}}"#,
        Some(5000),
        "",
    ),
    ("a page of some", r#"{"items":ROWS,"page":3,"of":50}"#, None, ""),
];

/// What looks like it and is not.
const WHOLE: &[(&str, &str)] = &[
    ("the total is what came", r#"{"total":30,"items":ROWS}"#),
    ("the total as text", r#"{"totalResults":"30","items":ROWS}"#),
    ("no more", r#"{"has_more":false,"items":ROWS}"#),
    ("no more, with the way that came", r#"{"has_more":false,"cursor":"9TZgVcPG0kMrpcTo1ZtV","items":ROWS}"#),
    ("the last page of one", r#"{"page":1,"pages":1,"per_page":50,"items":ROWS}"#),
    ("a next of null", r#"{"count":30,"next":null,"previous":null,"results":ROWS}"#),
    ("a next that is empty", r#"{"next":"","results":ROWS}"#),
    (
        "links to itself",
        r#"{"_links":{"self":{"href":"/orders?page=1"},"first":{"href":"/orders?page=1"},"last":{"href":"/orders?page=1"}},"orders":ROWS}"#,
    ),
    (
        "GraphQL's end",
        r#"{"data":{"users":{"totalCount":30,"pageInfo":{"hasNextPage":false,"endCursor":"Y3Vyc29yOjMw"},"nodes":ROWS}}}"#,
    ),
    (
        "all in one of Kubernetes",
        r#"{"kind":"PodList","metadata":{"resourceVersion":"1024500","continue":""},"items":ROWS}"#,
    ),
    (
        "shards",
        r#"{"took":3,"timed_out":false,"_shards":{"total":50,"successful":50,"failed":0},"hits":{"total":{"value":30,"relation":"eq"},"hits":ROWS}}"#,
    ),
    ("an invoice", r#"{"invoice":"A-1","subtotal":4200,"tax":800,"total":5000,"lines":ROWS}"#),
    ("an order", r#"{"orderId":7,"total":1999,"currency":"EUR","items":ROWS}"#),
    ("a basket", r#"{"total_price":199900,"total_weight":4100,"item_count":30,"items":ROWS}"#),
    ("tests", r#"{"numTotalTests":250,"numPassedTests":220,"numFailedTests":30,"failures":ROWS}"#),
    ("a linter", r#"{"filesChecked":800,"errorCount":30,"warningCount":112,"messages":ROWS}"#),
    ("coverage", r#"{"totals":{"covered":812,"num_statements":1000,"missing":188},"files":ROWS}"#),
    ("a disk", r#"{"total":512000,"used":240000,"free":272000,"mounts":ROWS}"#),
    ("a process", r#"{"pid":4711,"next_run":"2024-05-02T10:00:00Z","last_run":"2024-05-01T10:00:00Z","jobs":ROWS}"#),
    ("a deployment", r#"{"status":"ok","next":"deploy","steps":ROWS}"#),
    ("a story", r#"{"chapter":4,"total_words":84000,"next_chapter":"The Return","paragraphs":ROWS}"#),
    ("a book", r#"{"title":"Ulysses","pages":730,"chapters":ROWS}"#),
    ("a book at a page", r#"{"title":"Ulysses","page_count":730,"isbn":"9780141182803","chapters":ROWS}"#),
    ("a game", r#"{"turn":3,"next_player":"b","has_more_lives":true,"moves":ROWS}"#),
    ("a song", r#"{"duration":183,"track":4,"total_tracks":12,"lyrics":ROWS}"#),
    ("an account", r#"{"token":"eyJhbGciOiJIUzI1NiIsInR5cCI6","expires":3600,"scopes":ROWS}"#),
    ("a session", r#"{"session_token":"eyJhbGciOiJIUzI1NiIsInR5cCI6","last":"2024-05-01","rows":ROWS}"#),
    ("a database cursor", r#"{"cursor":{"line":12,"column":4},"diagnostics":ROWS}"#),
    ("an editor", r#"{"cursor":"text","offset":120,"tokens":ROWS}"#),
    ("a log", r#"{"start":"2024-05-01T10:00:00Z","end":"2024-05-01T11:00:00Z","count":30,"events":ROWS}"#),
    ("a slice of bytes", r#"{"offset":4096,"size":8192,"total_bytes":1048576,"symbols":ROWS}"#),
    ("truncated text", r#"{"message_truncated":true,"commits":ROWS}"#),
    ("a shortened hash", r#"{"is_truncated_hash":true,"parents":ROWS}"#),
    (
        "a tree that is whole",
        r#"{"sha":"9fb037999f264ba9a7fc6274d15fa3ae2ab98312","url":"https://x.example/trees/9fb","truncated":false,"tree":ROWS}"#,
    ),
    ("a task that is not done", r#"{"name":"Move house","complete":false,"items":ROWS}"#),
    ("a goal", r#"{"goal":"Run 500 km","target":500,"done":false,"runs":ROWS}"#),
    ("a repository", r#"{"stars":5000,"forks":812,"watchers_count":5000,"contributors":ROWS}"#),
    ("a channel", r#"{"name":"general","num_members":5000,"messages":ROWS}"#),
    ("a class", r#"{"next_exam":"/exams/9","max_students":60,"students":ROWS}"#),
    ("a limit of use", r#"{"rate_limit":{"limit":5000,"remaining":4987,"reset":1714557600},"rows":ROWS}"#),
    ("a quota", r#"{"quota_max":300,"quota_remaining":287,"has_more":false,"items":ROWS}"#),
    ("a field of rows", r#"{"items":NAMED}"#),
    ("a list alone", "NAMED"),
    ("a poll", r#"{"question":"Which?","total_votes":9120,"options":ROWS}"#),
    ("versions", r#"{"next_version":"2.0.0","latest":"1.9.3","versions":ROWS}"#),
    ("Azure DevOps", r#"{"count":30,"value":ROWS}"#),
    ("Twitch at the end", r#"{"data":ROWS,"pagination":{}}"#),
    ("Redmine in one", r#"{"issues":ROWS,"total_count":30,"offset":0,"limit":100}"#),
    ("SonarQube in one", r#"{"paging":{"pageIndex":1,"pageSize":100,"total":30},"issues":ROWS}"#),
    ("Zoom in one", r#"{"page_count":1,"page_size":300,"total_records":30,"next_page_token":"","users":ROWS}"#),
    ("Typeform in one", r#"{"total_items":30,"page_count":1,"items":ROWS}"#),
    ("ClickUp at the end", r#"{"tasks":ROWS,"last_page":true}"#),
    ("Vercel at the end", r#"{"deployments":ROWS,"pagination":{"count":30,"next":null,"prev":1540095775941}}"#),
    ("the weather", r#"{"latitude":52.5,"generationtime_ms":2,"elevation":38,"hourly":ROWS}"#),
    ("an image", r#"{"containers":12,"images":330,"size":412000,"layers":ROWS}"#),
    ("a run", r#"{"run_number":562,"attempt":1,"total_duration":5000,"jobs":ROWS}"#),
    ("an audit", r#"{"metadata":{"vulnerabilities":{"low":3,"total":30},"totalDependencies":812},"advisories":ROWS}"#),
    ("a diff", r#"{"total_files":30,"total_additions":5000,"files":ROWS}"#),
    ("a transcript", r#"{"duration":3600,"next":"Part 2","segments":ROWS}"#),
    ("a playlist", r#"{"playlist":"x","total_duration":5000,"tracks":ROWS}"#),
    ("tokens", r#"{"usage":{"prompt_tokens":5000,"completion_tokens":30,"total_tokens":5030},"choices":ROWS}"#),
    ("a search by vectors", r#"{"query":"x","k":30,"total_ms":512,"matches":ROWS}"#),
    ("a release", r#"{"id":"next-release","title":"Next","items":ROWS}"#),
    ("a page without others", r#"{"previous_page":null,"next_page":null,"page":1,"items":ROWS}"#),
    (
        "a token for later changes",
        r#"{"kind":"calendar#events","nextSyncToken":"CPDAlvWDx70CEPDAlvWDx70CGAU=","items":ROWS}"#,
    ),
    ("the next one", r#"{"name":"x","next_track":"abc","tracks":ROWS}"#),
    ("hits and misses", r#"{"hits":5000,"misses":12,"entries":ROWS}"#),
    // The sum of the ids.
    ("a sum of the rows", r#"{"total":465,"items":ROWS}"#),
    ("all within the limit", r#"{"total":30,"limit":30,"offset":0,"rows":ROWS}"#),
];

fn rows(named: bool) -> String {
    let row = |n: usize| match named {
        true => {
            json!({ "id": n, "has_more": true, "next_cursor": "b2Zmc2V0OjEwMA", "total": 5000, "name": format!("Person {n}") })
        }
        false => json!({ "id": n, "name": format!("Person {n}"), "note": "a few words about this person" }),
    };
    Value::Array((1..=ROWS).map(row).collect()).to_string()
}

fn first(written: &str) -> Value {
    let policy = json!({ "maxTokens": 500 });
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
    let call = Call::new(&json!({ "tool": "t", "arguments": {} }), Naming::Camel).unwrap();
    let source = written.replace("ROWS", &rows(false)).replace("NAMED", &rows(true));
    let shaped = shaper.shape_json(&source, &call).unwrap_or_else(|error| panic!("{error}: {source}"));
    let mut result: Value = serde_json::from_str(&shaped.text).unwrap_or_else(|_| panic!("{}", shaped.text));
    result["source"] = serde_json::from_str(&source).unwrap();
    result
}

/// What a result says about a page of the tool's own: the total, and what leads to the next page.
fn said(result: &Value) -> Option<(Option<u64>, Option<Value>)> {
    let facts = if result["_page"].is_object() { &result["_page"] } else { result };
    let note = facts["note"].as_str().or(result["_note"].as_str()).unwrap_or_default();
    note.contains("one page of the tool's own").then_some(())?;
    let own = &facts["ownPage"];
    let next = own["next"].as_str().and_then(|pointer| result["source"].pointer(pointer).cloned());
    Some((own["total"].as_u64(), next))
}

#[test]
fn a_page_of_the_tools_own_is_named() {
    let mut wrong = Vec::new();
    for &(name, written, total, next) in PAGES {
        let result = first(written);
        let Some((said_total, said_next)) = said(&result) else {
            wrong.push(format!("{name}: no page is stated"));
            continue;
        };
        let said_next = said_next.map(|next| next.as_str().map_or_else(|| next.to_string(), str::to_owned));
        if said_total != total {
            wrong.push(format!("{name}: of {said_total:?}, not {total:?}"));
        } else if !next.is_empty() && !said_next.as_ref().is_some_and(|said| said.starts_with(next)) {
            wrong.push(format!("{name}: next is {said_next:?}, not {next}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), PAGES.len(), wrong.join("\n"));
}

#[test]
fn texts_around_rows_tell_of_pages() {
    let word = |n: usize| format!("{:x}", (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let row = |n: usize| format!("{n},Person {n},{} {} {}\n", word(n), word(n + 100), word(n + 200));
    let rows: String = (1..=ROWS).map(row).collect();
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 450 }), Naming::Camel).unwrap());
    let note = |before: &str, after: &str| {
        let text = format!("{before}id,name,note\n{rows}{after}");
        let shaped = shaper.shape_text(&text, &Call::tool("t")).unwrap();
        let result: Value = serde_json::from_str(&shaped.text).unwrap();
        assert_eq!(result["totalItems"], ROWS, "{before}{after}: {}", shaped.text);
        let total = result["ownPage"]["total"].as_u64();
        (result["note"].as_str().unwrap().contains("one page of the tool's own"), total)
    };
    for (before, after, total) in STATED {
        assert_eq!(note(before, after), (true, *total), "{before}{after}");
    }
    for before in TOLD_OF_ALL {
        assert!(!note(before, "").0, "{before}");
    }
}

#[test]
fn the_argument_for_the_next_page_is_found_in_links() {
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 500 }), Naming::Camel).unwrap());
    for (beside, argument, taken) in TAKEN {
        let call = json!({ "tool": "t", "pageArguments": [argument] });
        let source = format!(r#"{{{beside},"items":{}}}"#, rows(false));
        let shaped = shaper.shape_json(&source, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        let said = format!("call t with {argument} set to");
        let wanted = if taken.is_empty() { !shaped.text.contains(&said) } else { shaped.text.contains(taken) };
        assert!(wanted && shaped.text.contains("one page of the tool's own"), "{beside}: {}", shaped.text);
    }
}

#[test]
fn what_is_whole_is_no_page() {
    let wrong: Vec<_> = WHOLE
        .iter()
        .filter_map(|(name, written)| said(&first(written)).map(|said| format!("{name}: {said:?}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), WHOLE.len(), wrong.join("\n"));
}
