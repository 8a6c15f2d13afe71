//! What a broker says of the folder that holds its logs, and whether replicas may move to another one:
//! it has only one (`ReplicaManager.describeLogDirs`, `alterReplicaLogDirs`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::TopicPartition;
use crate::net::log_dirs::{LogDir, LogDirReplica, LogDirsRequest, LogDirsResponse, path_of};

impl Broker {
    pub(super) fn handle_log_dirs(&self, request: &LogDirsRequest) -> LogDirsResponse {
        match request {
            LogDirsRequest::Describe => {
                let mut replicas = Vec::new();
                for (which, held) in self.partitions.iter() {
                    let behind = held.high_watermark().0 - held.log().log_end_offset().0;
                    replicas.push(LogDirReplica {
                        partition: which.clone(),
                        size: held.log().size_in_bytes(),
                        offset_lag: u64::try_from(behind).unwrap_or(0),
                    });
                }
                LogDirsResponse::Described(LogDir { path: path_of(self.id), replicas })
            }
            LogDirsRequest::Alter(moves) => {
                let outcome = |(which, path): &(TopicPartition, String)| {
                    (which.clone(), self.move_replica(which, path))
                };
                LogDirsResponse::Altered(Rc::new(moves.iter().map(outcome).collect()))
            }
        }
    }

    fn move_replica(&self, which: &TopicPartition, path: &str) -> Result<(), KafkaError> {
        if path != path_of(self.id) {
            return Err(KafkaError::plain(ErrorCode::LogDirNotFound));
        }
        if self.partitions.contains_key(which) {
            return Ok(());
        }
        Err(KafkaError::plain(ErrorCode::ReplicaNotAvailable))
    }
}
