//! The official jars of Apache Kafka, resolved by Maven into the cache, or those of an installation
//! that the user has.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::stamp::Slot;
use crate::process::{Job, on_path};
use crate::trouble::{OrSay, Outcome, Trouble};

/// The version that the simulator imitates.
const VERSION: &str = "4.4.0";

/// Group, artifact and version of what a cluster and its tools need.
const ARTIFACTS: [(&str, &str, &str); 3] = [
    ("org.apache.kafka", "kafka_2.13", VERSION),
    ("org.apache.kafka", "kafka-tools", VERSION),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.5"),
];

/// The class path of Kafka: `$KAFKA_HOME/libs/*` where that is set, else the official jars.
pub(crate) fn class_path(cache: &Path) -> Outcome<String> {
    if on_path("java").is_none() {
        return Err(Trouble::new(
            "A real Kafka needs Java; put a JDK of version 17 or later on PATH.",
        ));
    }
    if let Some(home) = env::var_os("KAFKA_HOME").filter(|home| !home.is_empty()) {
        return installed(&PathBuf::from(home));
    }
    if on_path("mvn").is_none() && !slot(cache).is_ready() {
        return Err(Trouble::new(
            "A real Kafka comes through Maven, and `mvn` is not on PATH; install it, or set \
             KAFKA_HOME to an unpacked Kafka.",
        ));
    }
    let folder = slot(cache).ensure(|into| install(cache, into))?;
    let file = folder.join("class-path");
    fs::read_to_string(&file)
        .map(|text| text.trim().to_owned())
        .or_say(|| format!("read {}", file.display()))
}

fn slot(cache: &Path) -> Slot {
    Slot::new(cache, "kafka", VERSION)
}

/// The jars of an unpacked Kafka, which must be of the right version.
fn installed(home: &Path) -> Outcome<String> {
    let libs = home.join("libs");
    if !libs.join(format!("kafka-clients-{VERSION}.jar")).is_file() {
        return Err(Trouble::new(format!(
            "KAFKA_HOME is set, but {} holds no Kafka {VERSION}; set it to an unpacked one or \
             unset it.",
            libs.display()
        )));
    }
    Ok(format!("{}/*", libs.display()))
}

fn install(cache: &Path, into: &Path) -> Outcome {
    println!("  fetching Kafka {VERSION} with Maven into the cache (seconds)");
    let dependencies: String = ARTIFACTS
        .iter()
        .map(|(group, artifact, version)| {
            format!(
                "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
                 <version>{version}</version></dependency>"
            )
        })
        .collect();
    let pom = format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>highwater</groupId><artifactId>kafka</artifactId><version>{VERSION}</version>\
         <dependencies>{dependencies}</dependencies></project>\n"
    );
    fs::write(into.join("pom.xml"), pom).or_say(|| "write the list of jars".to_owned())?;
    Job::new("Fetching Kafka's jars", "mvn")
        .args([
            "-q",
            "-B",
            "-Dstyle.color=never",
            "dependency:build-classpath",
            "-Dmdep.outputFile=class-path",
        ])
        .args([format!("-Dmaven.repo.local={}", cache.join("maven").display())])
        .dir(into)
        .bound(Duration::from_secs(300))
        .must(
            "check that Maven's repository can be reached, or set KAFKA_HOME to an unpacked Kafka.",
        )
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    /// An installation of another version would compare with the wrong Kafka.
    #[test]
    fn an_installation_must_be_of_the_version() {
        let scratch = Scratch::new("kafka-home");
        let libs = scratch.path().join("libs");
        fs::create_dir(&libs).unwrap();
        fs::write(libs.join("kafka-clients-4.3.0.jar"), "").unwrap();
        let said = installed(scratch.path()).unwrap_err().to_string();
        assert!(said.contains("holds no Kafka 4.4.0"), "{said}");
        fs::write(libs.join("kafka-clients-4.4.0.jar"), "").unwrap();
        assert_eq!(installed(scratch.path()).unwrap(), format!("{}/*", libs.display()));
    }
}
