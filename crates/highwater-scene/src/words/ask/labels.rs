//! The names of numbers in an answer, and values that are a word.

macro_rules! labels {
    ($($name:ident = $text:literal;)*) => {
        $(
            #[doc = concat!("\"", $text, "\"")]
            pub const $name: &str = $text;
        )*
    };
}

labels! {
    ACKS = "acks";
    ADDING = "being added";
    ALL = "all";
    ANSWERS = "answers request";
    API = "api";
    ARRIVED = "it has arrived";
    ASSIGNED = "assigned, but nobody reads";
    ASSIGNOR = "assignor";
    ASSIGNS = "leads the group";
    AT = "at";
    BATCH = "batch";
    BATCH_SIZE = "size of the batch";
    BEHIND_THE_LEADER = "behind the leader";
    BEYOND = "records beyond it";
    BROKER = "broker";
    BROKER_EPOCH = "broker epoch";
    CAUSE = "caused by";
    CLIENT_ID = "client id";
    COMMITTED = "committed";
    CONFIGS = "configs set";
    CONTROLLED_SHUTDOWN = "in controlled shutdown";
    CONTROLLER = "the controller";
    CONTROLLER_TITLE = "The controller";
    COORDINATES = "coordinates groups";
    COORDINATOR = "coordinator";
    CORDONED = "cordoned";
    DISK_DELAY = "disk delay";
    DUE = "due";
    ELR = "ELR";
    FENCED = "fenced";
    FOLLOWS = "follows partitions";
    FROM = "from";
    GENERATION = "generation";
    GONE_SINCE = "gone since";
    GROUP = "group";
    HAS_ANOTHER = "has another record there";
    HAS_IT = "has it";
    HIGH_WATERMARK = "high watermark";
    INSTANCE = "group instance id";
    IN_ELR = "in the ELR";
    IN_ISR = "in the ISR";
    IN_THE_STORY = "a step of the story";
    ISR = "ISR";
    KEPT_IN = "kept in";
    KEY = "key";
    KIND = "kind";
    LAST_APPEND = "last written at";
    LAST_FETCH = "last fetch at";
    LAST_HEARD = "last heard of at";
    LAST_HEARTBEAT = "last heartbeat at";
    LAST_KNOWN_ELR = "last known ELR";
    LEADER = "leader";
    LEADER_EPOCH = "leader epoch";
    LEADS = "leads partitions";
    LISTENS_AT = "listens at";
    LOG_END = "log end";
    LOG_START = "log start";
    MEMBERS = "members";
    MEMBER_ID = "member id";
    METADATA_LOG_END = "metadata log end";
    METADATA_OFFSET = "metadata records replayed";
    MIN_ISR = "must be in sync";
    NETWORK = "network";
    NEVER = "never";
    NEXT_PRODUCER_ID = "next producer id";
    NOBODY = "nobody";
    NONE = "none";
    NOT_IDEMPOTENT = "not idempotent";
    NO_LOG = "no log yet";
    NO_TIMESTAMP = "none";
    OFFSET = "offset";
    OF_A_CLIENT = "set by the client";
    PARTITION = "partition";
    PARTITIONS = "partitions";
    PARTITION_EPOCH = "partition epoch";
    PRODUCER = "producer";
    PROPOSED_ISR = "ISR the leader proposes";
    QUORUM_LEADER = "quorum leader";
    RACK = "rack";
    READABLE = "readable";
    REMOVING = "being removed";
    REPLICAS = "replicas";
    REPLICATION_FACTOR = "replication factor";
    ROLE = "role";
    SEGMENTS = "segments";
    SENT = "sent at";
    SESSION_ENDS = "session ends";
    SIZE = "size";
    STATE = "state";
    STEP = "step";
    STRATEGIES = "partition.assignment.strategy";
    TIDE_IT_KNOWS = "high watermark it knows";
    TO = "to";
    TOPIC = "topic";
    TOPIC_ID = "topic id";
    VALUE = "value";
    VOTERS = "voters";
    WAITING_REQUESTS = "requests that wait here";
    WAITING_STEPS = "paused; steps that wait";
}
