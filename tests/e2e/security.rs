//! What the page may do, and that it does no more: its policy, no inline code or style, no request to
//! anybody else.

use serde_json::json;

use crate::browser::{Visit, site};
use crate::page::{Page, key};

pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// Everything in the page that the policy would refuse, or that only the policy stops.
pub(crate) fn inline(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('*')].flatMap(element => {\
           const found = [...element.attributes].map(attribute => attribute.name)\
             .filter(name => name === 'style' || name.startsWith('on'));\
           if (element.localName === 'style') found.push('a style element');\
           if (element.localName === 'script' && !element.src) found.push('an inline script');\
           if (/^javascript:/i.test(element.getAttribute('href') ?? '')) found.push('a script address');\
           return found.map(what => `${element.localName}.${element.className?.baseVal ?? element.className}: ${what}`);\
         })",
    )
}

/// The reader does about everything there is to do.
fn use_everything(page: &Page) {
    page.seek(2);
    page.transport("play");
    page.wait_for_the_end();
    page.click(".fig-draw [data-cell='0:1']");
    page.open_terminal();
    page.run("kafka-topics.sh --bootstrap-server localhost:9092 --describe");
    page.click(".twin summary");
    page.click("[popovertarget=term-record]");
    page.press(key::ESCAPE);
    page.click("[data-quiz=fifth-record] [data-quiz-skip]");
    page.click_button("Let analytics read everything");
    page.wait("a reader", || page.readers().len() == 1);
    page.click_button("Replay the six with librdkafka");
    page.wait_for_the_end();
}

/// The policy is the strict one, and stands before anything that it rules.
#[test]
fn the_policy() {
    Visit::new().live(|page| {
        assert_eq!(page.count("meta[http-equiv=Content-Security-Policy]"), 1);
        let selector = "meta[http-equiv=Content-Security-Policy]";
        assert_eq!(page.attribute(selector, "content"), POLICY);
        let before = page.js(
            "const meta = document.querySelector('meta[http-equiv=Content-Security-Policy]');\
             return [...document.querySelectorAll('link, script')].every(other => \
               meta.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)",
        );
        assert_eq!(before, true);
    });
}

/// No inline style and no inline script, at first and after everything was used. A violation of the
/// policy would be in the console, which fails every test.
#[test]
fn nothing_inline() {
    Visit::new().live(|page| {
        assert!(inline(page).is_empty(), "{:#?}", inline(page));
        page.js("window.violations = []; addEventListener('securitypolicyviolation', event => \
             window.violations.push(event.violatedDirective + ' ' + event.sourceFile))");
        use_everything(page);
        assert!(inline(page).is_empty(), "{:#?}", inline(page));
        assert_eq!(page.js("return window.violations"), json!([]));
    });
}

/// Nobody else is asked for anything, and the first load asks for nothing twice.
#[test]
fn asks_nobody_else() {
    Visit::new().recording().run(|page| {
        page.open(&site());
        page.wait_until_live();
        let first = page.browser.recorded("Network.requestWillBeSent");
        let mut urls: Vec<String> = Vec::new();
        for request in &first {
            let url = request["request"]["url"].as_str().unwrap_or_default();
            assert!(url.starts_with(&site()), "asked elsewhere: {url}");
            assert!(!urls.iter().any(|known| known == url), "asked for twice: {url}");
            urls.push(url.to_owned());
        }
        assert!(urls.iter().any(|url| url.ends_with(".wasm")), "{urls:?}");
        use_everything(page);
        let later = page.browser.recorded("Network.requestWillBeSent");
        // What stands further below has its styles and programs from here, too.
        for request in &later {
            let url = request["request"]["url"].as_str().unwrap_or_default();
            assert!(url.starts_with(&site()), "asked elsewhere later: {url}");
        }
        let kept = page.js("return [document.cookie, localStorage.length]");
        assert_eq!(kept, json!(["", 0]), "nothing is kept but the session's commands");
    });
}
