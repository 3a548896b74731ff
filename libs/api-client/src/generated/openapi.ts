/**
 * Made from docs/reference/openapi.json by `npm run docs`; do not edit.
 */

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["getHealthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether everything that Curtail needs is available; 503 names what is not
         * @description The answer has `waits` while consumers of this process wait for one of a newer release.
         */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the caller may send commands
         * @description A page offers commands only to those whose commands are not refused.
         */
        get: operations["getAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Allocations as the cluster knows them, by id */
        get: operations["getAllocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One allocation as the cluster knows it */
        get: operations["getAllocationsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{id}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why runs chose an allocation or spared it */
        get: operations["getAllocationsExplanation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A link for the owner of an allocation, who needs no token to read why it was chosen or spared
         * @description Nothing is stored. The part behind `#` is the right to read this one explanation; browsers do not send it with the address. `DELETE` revokes the links of an allocation, and a new CURTAIL_TOKEN, or without one a new signing key, revokes all links.
         */
        post: operations["postAllocationsLink"];
        /**
         * Revoke all existing links for the owner of an allocation
         * @description This includes lost links. Links made later work.
         */
        delete: operations["deleteAllocationsLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer to an upcoming eviction: evict it now, its work is saved, or evict it later
         * @description A team may answer for allocations of its own queues. An answer that changes nothing is refused with 409 and the reason; 404: no such allocation runs.
         */
        post: operations["postAnswers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Applications that have allocations, with what these have together, by id
         * @description With `queue`, only their allocations in that queue and below it count.
         */
        get: operations["getApplications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who commanded or configured what, oldest first, signed
         * @description The signature is over `lines`, exactly as they are, followed by `page` as JSON without spaces. It is made with the key of CURTAIL_SIGNING_KEY_FILE; `GET /v1/keys` has the public part.
         */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages that consumers could not handle, latest first
         * @description `nextStep` is the remedy for each, and `retryable` whether it can be retried.
         */
        get: operations["getDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard dead letters
         * @description At most 500 at once, the oldest first; `more` is true if others match.
         */
        post: operations["postDeadLettersDiscard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry dead letters
         * @description At most 500 at once, the oldest first; `more` is true if others match. A process of the consumer retries them within seconds. A letter then disappears, or has the new reason and one more attempt. `left`: those that cannot be retried.
         */
        post: operations["postDeadLettersRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{consumer}/{event}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One dead letter, with its event if it is in the log */
        get: operations["getDeadLettersByEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs, latest change first
         * @description A run that stays as it is, is on exactly one page, whatever changes meanwhile. One that changes moves to the front: to have all of them, read the pages to the end, then again with `since` set to the time before the first page.
         */
        get: operations["getEnforcements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One run and the state of its victims, in order of eviction
         * @description `next` is present if there are more victims: pass it as `after`.
         */
        get: operations["getEnforcementsByEnforcement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a run that waits because of its size or a ceiling
         * @description If it waits for a ceiling, all runs of its configuration are approved with it (`change`).
         */
        post: operations["postEnforcementsApprove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a run, pending or in progress */
        post: operations["postEnforcementsCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why each victim was chosen, and each other allocation was not
         * @description With `limit`, at most this many of each list, with `counts` of how many there are, and the number of spared allocations by reason with the first of them; for very large inputs without the spared ones.
         */
        get: operations["getEnforcementsExplanation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reject a run that waits for approval; nothing is evicted */
        post: operations["postEnforcementsReject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforcements/{enforcement}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened in a run, step by step
         * @description Its events and those of its clock. Events of victims that follow one another are one step.
         */
        get: operations["getEnforcementsTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The log, latest first */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/at/{position}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One event of the log, by its position, with its cause and its effects */
        get: operations["getEventsAtByPosition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One event of the log, by its id
         * @description Target of `dataref` in a Kafka message whose data are too long.
         */
        get: operations["getEventsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why runs chose an allocation or spared it, for the bearer of a link
         * @description The link is the token of the request: `Authorization: Bearer link.…`. It opens nothing else.
         */
        get: operations["getExplained"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Senders of reports and configurations over Kafka: what of each is in force, and what was ignored
         * @description One entry for each partition, kind and CloudEvents source; forgotten 90 days after the last message.
         */
        get: operations["getFeeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/foreseen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the runs of the running clocks would evict, by queue and application
         * @description Advance notice to owners: the allocations of each application that would be evicted if the clock were due now. It is checked again at a steady interval.
         */
        get: operations["getForeseen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The freezes that are in effect, or will be */
        get: operations["getFreezes"];
        put?: never;
        /**
         * Freeze a queue and everything below it, or a partition: no run starts in a window of time
         * @description Clocks that fall due in the window start at its end. A run that is in progress when the window begins continues. A queue exists if the configuration in force has it, or if it has work. `configured`: whether the configuration in force has it.
         */
        post: operations["postFreezes"];
        /** Clear freezes of operators; clocks that waited for their end are due at once */
        delete: operations["deleteFreezes"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Clusters that report over Kafka, and problems with their reports
         * @description `known`: whether plans are made and work is evicted by it. `unread`: reports on Kafka that are not applied yet.
         */
        get: operations["getInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inventory/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Apply the held listing: allocations missing from it are removed */
        post: operations["postInventoryAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inventory/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the sequences of a partition, so that its scheduler may start from any number
         * @description The partition is unknown until the next complete listing. Its recorded content stays.
         */
        post: operations["postInventoryReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public part of the key that signs exported records, as a JSON Web Key Set
         * @description Needs no token. Empty without CURTAIL_SIGNING_KEY_FILE.
         */
        get: operations["getKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kill-switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The kill switches in effect */
        get: operations["getKillSwitch"];
        put?: never;
        /**
         * Stop all evictions of a partition, or of a queue and everything below it
         * @description A queue exists if the configuration in force has it, or if it has work. `configured`: whether the configuration in force has it.
         */
        post: operations["postKillSwitch"];
        /** Clear kill switches */
        delete: operations["deleteKillSwitch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The log of a partition as it is written: server-sent events
         * @description Each message is a batch: `data` is a list of events without their data (`position`, `time`, `name`, `stream`, `version`, `queue`, `enforcement`), `id` the place to resume from (`Last-Event-ID`). The first message comes at once. A message of the type `gap` says that too many events were missed: read everything again. One of the type `late` says that answers since the last events may not have included them, and that they do now: read everything again. A read with the header `Curtail-Last-Seen: <id of the last message>` may get the answer to another such read, unless that answer is older than the message.
         */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the log before a time into files
         * @description Whole months, into the folder of the setting CURTAIL_ARCHIVE_DIR. Answers at the end, or in lines, as a replay does; with `dryRun`, only lists what would be archived. Refused (409) while a reader still needs it; the answer names the reader and the remedy. An unfinished archive is resumed.
         */
        post: operations["postLogArchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The partitions of the log, oldest first, and the files of archived ones */
        get: operations["getLogPartitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the log with its hash chains
         * @description A page of some 20,000 events, from the first block on; the client asks until `atEnd`. Events that are out of the database are compared in their archives, by `curtail verify --archive`.
         */
        get: operations["getLogVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where people log in, for the page and for curtail login
         * @description Needs no token. All fields are null without CURTAIL_OIDC_CLIENT_ID.
         */
        get: operations["getLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/names/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Names with a prefix: ids of runs, allocations, replays or dead letters, queues or partitions */
        get: operations["getNamesByKind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Notices for administrators, latest first */
        get: operations["getNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations as the last round of fair-share found them
         * @description Shares are fractions of the cluster. Of more than a thousand operations, those with the lowest satisfaction are listed.
         */
        get: operations["getOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Partitions with a configuration, a mode or a stop: mode, switch, policies, stops */
        get: operations["getPartitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One partition */
        get: operations["getPartitionsByPartition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configuration in force, as it was sent; its ETag is its version */
        get: operations["getPartitionsConfig"];
        /**
         * Put a whole configuration in force, or see what it would do
         * @description queues.yaml of YuniKorn, also in its ConfigMap or in values of its chart, capacity-scheduler.xml of YARN, also in a definition of EMR or Ambari, or pool trees of YTsaurus, also in YSON; also as JSON of the same shape. Text is UTF-8, or UTF-16. Of several partitions only the named one is taken.
         */
        put: operations["putPartitionsConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions of the configuration of a partition, latest first: who sent each, when, and what it changed */
        get: operations["getPartitionsConfigurations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One version of a configuration: its text, and the changes from the version before */
        get: operations["getPartitionsConfigurationsByVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations/{version}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve all runs that one version of the configuration causes
         * @description Those that wait, and those that are still to start until `until`: 24 hours after the last pending clock of the version is due. They need no approval for their size, and no ceiling of the partition holds them.
         */
        post: operations["postPartitionsConfigurationsApprove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations/{version}/effect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the runs that one version of the configuration causes have evicted and would evict */
        get: operations["getPartitionsConfigurationsEffect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations/{version}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject all runs that one version of the configuration causes
         * @description Those that wait or evict end at once, and those that are still to start evict nothing.
         */
        post: operations["postPartitionsConfigurationsReject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/configurations/{version}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put an earlier version of the configuration in force again, or see what that would do
         * @description Its text becomes a new version; the history stays as it is.
         */
        post: operations["postPartitionsConfigurationsRollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The mode in effect */
        get: operations["getPartitionsMode"];
        /**
         * observe: plan and evict nothing; enforce: evict
         * @description `enforce` is refused with 409 while a service runs with `CURTAIL_MODE=observe`: it would not count. A partition exists if a configuration, a mode, a stop or a report of a scheduler names it, or if it has work.
         */
        put: operations["putPartitionsMode"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/queues/{queue}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The entry of a queue in the configuration in force; its ETag changes with the entry alone */
        get: operations["getPartitionsQueuesConfig"];
        /**
         * Replace one queue of the configuration, with everything below it
         * @description The entry of the queue as in a queues.yaml. The rest of the configuration in force stays as it is, also if it changes meanwhile; a submission that would change another queue is refused.
         */
        put: operations["putPartitionsQueuesConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/queues/{queue}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The run that a queue would have now, or that its pending clock leads to, with its victims
         * @description Planned with the configuration in force and the current allocations; nothing is kept.
         */
        get: operations["getPartitionsQueuesPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The settings in force for a queue, or for the partition, and where each comes from
         * @description The ETag is the version of the overrides of the partition.
         */
        get: operations["getPartitionsSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Override settings of a queue and all below it, or of the partition, at runtime
         * @description Each named setting overrides the configured value for this queue until it is set to null. Other settings stay as they are. It holds without a restart: for plans made and runs opened from now on; the rate and the grace period also for runs in progress.
         */
        patch: operations["patchPartitionsSettings"];
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The work in the simulated cluster, in numbers */
        get: operations["getPartitionsSimulated"];
        put?: never;
        post?: never;
        /** Remove the work of a queue and below it; without `under`, of the partition with its nodes */
        delete: operations["deletePartitionsSimulated"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Applications of the simulated cluster: what they have, and what they wait for */
        get: operations["getPartitionsSimulatedApplications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated/load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Load generated work into the simulated cluster
         * @description All of it or, after any failure, nothing. Answers when it is done. To a caller that accepts `application/x-ndjson` it streams lines: `{"done","of"}` as progress, then `{"result"}` or `{"error":{"message","path"}}`.
         */
        post: operations["postPartitionsSimulatedLoad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Queues of the simulated cluster that have work, whether a configuration has them or not */
        get: operations["getPartitionsSimulatedQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Load the sample; a second request changes nothing */
        post: operations["postPartitionsSimulatedSample"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partitions/{partition}/simulated/scenario": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Load work from a scenario (docs/reference/scenarios.md) */
        post: operations["postPartitionsSimulatedScenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Recorded plans, latest first */
        get: operations["getPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What-if: a snapshot, a trigger and settings in, a plan out
         * @description A pure function of the body (docs/reference/snapshot.md). Nothing is stored or evicted.
         */
        post: operations["postPlansPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{enforcement}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The plan of a run, as recorded */
        get: operations["getPlansByEnforcement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pools as the last round of fair-share found them: shares, satisfaction, status, starvation
         * @description Shares are fractions of the cluster.
         */
        get: operations["getPools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Queues, with usage, clock and run
         * @description Those of the configuration in force, and those that are not in it and hold work (`configured: false`), until they are empty.
         */
        get: operations["getQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One queue */
        get: operations["getQueuesByPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{path}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Clock, runs, rounds and events of a queue */
        get: operations["getQueuesExplanation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{path}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quota and usage of a queue over time, and what changed them, from the log
         * @description For a plot: each quota, the usage as plans and evictions state it, and a mark for each change, clock and run. Of older events only the last of each name and time is marked. Without `since`, the last 30 days.
         */
        get: operations["getQueuesHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{queue}/enforce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a run of a queue that is above its quota
         * @description After its delay, or at once. For a queue whose last run was stopped, rejected or cancelled, or freed too little. Switch, stops, observe mode and approval hold as for any run.
         */
        post: operations["postQueuesEnforce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Running and past replays, latest first */
        get: operations["getReplays"];
        put?: never;
        /**
         * Read the log again: into the read model, or into plans that are compared
         * @description Answers when it ends. To a caller that accepts `application/x-ndjson` it streams lines: `{"replay","resumed","unit","done","of"}` as progress, `{"result"}` or `{"error":{"message"}}` at the end. It continues without its caller. The same request resumes an unfinished one. Never evicts.
         */
        post: operations["postReplays"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/replays/{replay}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A replay: its progress and result */
        get: operations["getReplaysByReplay"];
        put?: never;
        post?: never;
        /** Stop a replay; the same request resumes it where it was */
        delete: operations["deleteReplaysByReplay"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Evictions of a period, and the work lost with them, by queue, user, cause or rule
         * @description The work lost with a victim is its amounts times the time since its start or its last checkpoint. Runs are counted as long as they are kept (CURTAIL_RUN_RETENTION_DAYS).
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/republications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish recorded events to Kafka again, for consumers that lost them
         * @description The same ids, with the attribute `replayed`. Answers at the end, or in lines, as a replay does; with `dryRun`, only counts the messages. Refused (409) without Kafka.
         */
        post: operations["postRepublications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rounds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last round of each policy with rounds, and its outcome
         * @description One entry per policy, all on one page.
         */
        get: operations["getRounds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The status of each partition in one answer, and what needs attention
         * @description Mode, stops and freezes in effect, queues above their quota and why, clocks that run, runs in progress, runs that wait for approval, the reports of schedulers, lag and dead letters.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/timers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Running clocks, by due time */
        get: operations["getTimers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/victims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What runs chose of an application or a user, latest first
         * @description Name at least one of them. Runs are known as long as they are kept (CURTAIL_RUN_RETENTION_DAYS).
         */
        get: operations["getVictims"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend messages that were given up
         * @description Makes all messages that were given up after their last attempt due again, with their ids; they are sent in the background. 409: no webhook is configured.
         */
        post: operations["postWebhookResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to the webhook
         * @description Sends one message of type `test`, once, and answers when the receiver has accepted it; otherwise 502 with its answer. 409: no webhook is configured.
         */
        post: operations["postWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare proposed configurations, or single quotas, against the current allocations
         * @description For each of at most five: victims by queue, owner and application, the work they lose, what stays above its quota and why, and the lowest quota that needs no victim. Nothing is stored.
         */
        post: operations["postWhatIf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the caller is, and what that permits
         * @description Without an `actor`, no credential is needed here, and everyone may do everything.
         */
        get: operations["getWhoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Access: {
            /** @description Why not, in a sentence; null: they are. */
            because: string | null;
            /** @description Whether commands of the caller are taken: stop, approve, settings and so on. */
            commands: boolean;
        };
        Alive: {
            /** @constant */
            status: "ok";
        };
        Allocation: {
            allowPreemption?: boolean;
            application: string;
            id: string;
            node?: string;
            priority?: number;
            queue: string;
            resources: components["schemas"]["Amounts"];
            /** @enum {string} */
            role?: "task" | "originator" | "daemon" | "placeholder";
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            startedAt?: string;
            /** @enum {string} */
            state?: "running" | "releasing" | "preempting";
            uid?: string;
        } & {
            [key: string]: unknown;
        };
        AllocationExplanation: {
            allocation: string;
            /** @description Runs that chose the allocation. */
            chosen: {
                /** @description The subject of code and message. */
                about: components["schemas"]["Subject"] | null;
                allocation: string;
                application: string;
                code: string | null;
                enforcement: string;
                /** @description The facts of that rule, by name; each policy has its own. null: it has none. */
                facts?: components["schemas"]["Facts"] | null;
                message: string | null;
                /** @description The user of its application. null: not known. */
                owner?: string | null;
                queue: string;
                /** @description The quota that the run enforces; null: none, or its plan is no longer in the log. */
                quota: components["schemas"]["Amounts"] | null;
                /** @description The order of eviction. */
                rank: number;
                reason: string;
                resources: components["schemas"]["Amounts"];
                /** @description The code of the rule that decided: the one that put it before the next victim, by which its application gives way, or its `cause`. null: its policy has none. */
                rule?: string | null;
                /** @description The run, in numbers. */
                run: {
                    evicted: number;
                    policy: string;
                    /** @description The queue whose quota the run enforces; `root` for a round, which concerns all queues. */
                    queue: string;
                    startedAt: string | null;
                    target: components["schemas"]["Amounts"] | null;
                    victims: number;
                };
                state: string;
                uid: string | null;
            }[];
            /** @description Runs that are to start in its queue or above it, the first to start before the others, and what they would do to it now. */
            foreseen?: components["schemas"]["ForeseenRun"][];
            partition: string;
            /** @description Its queue, now or when a run chose it; null if neither is known: then the latest runs of the partition were tried. */
            queue: string | null;
            /** @description The latest runs that spared it, and why: of its queue or one above, and rounds that took victims in its queue. */
            spared: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                enforcement: string;
                /** @description One sentence with the numbers. */
                message?: string;
                queue: string;
                reason: string;
            }[];
            /** @description Runs whose plans are too large to be computed again for this. Absent: none. */
            tooLarge?: string[];
        };
        AllocationPage: {
            items: components["schemas"]["Allocation"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        AlternativeOutcome: {
            byApplication?: {
                /** @description The largest first, twenty at most. */
                items: components["schemas"]["VictimGroup"][];
                /** @description Groups that are not listed. */
                more: number;
            };
            byOwner?: {
                /** @description The largest first, twenty at most. */
                items: components["schemas"]["VictimGroup"][];
                /** @description Groups that are not listed. */
                more: number;
            };
            byQueue?: {
                /** @description The largest first, twenty at most. */
                items: components["schemas"]["VictimGroup"][];
                /** @description Groups that are not listed. */
                more: number;
            };
            /** @description The ceiling that its runs would exceed together: one approval covers the whole change. null: none. */
            ceiling?: components["schemas"]["Waiting"] | null;
            /** @description Queues whose guaranteed amounts would change. */
            changedGuaranteed?: number;
            /** @description Queues whose max or delay would change, with those that would be removed. */
            changedQuotas?: number;
            /** @description Clocks that would end without a run. */
            clocksEnd?: number;
            /** @description Clocks that would start, or restart. */
            clocksStart?: number;
            /** @description Why the alternative would be refused. The other fields are then absent. */
            errors?: components["schemas"]["ConfigurationError"][];
            /** @description When the first run is due; null: no run would start. */
            firstDueAt?: string | null;
            /** @description When the first run with victims starts that waits for no person, if the alternative comes into force now. null: each waits for an approval or the end of a stop, or nothing is evicted. */
            firstEvictionAt?: string | null;
            /** @description Victims that a stop spares for now; they are not counted above. */
            held?: number;
            /** @description Work lost, in base units times hours: amounts times the time since the start or the last checkpoint. */
            lost?: {
                [key: string]: number;
            };
            /** @description For each lowered queue with victims, the lowest quota that needs no victim: what its running allocations use. `text` is the notation of configurations. A hundred at most. */
            lowest?: {
                max: components["schemas"]["Amounts"];
                queue: string;
                text: {
                    [key: string]: string;
                };
            }[];
            /** @description Further queues that would be removed. */
            moreRemoved?: number;
            name: string;
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            /** @description Clocks without a plan, because there are so many. */
            notPlanned?: number;
            quotaPreemptionEnabled?: boolean;
            /** @description Queues that would be removed, with what runs in them, which continues. A hundred at most. */
            removed?: {
                queue: string;
                usage: components["schemas"]["Amounts"];
            }[];
            resources?: components["schemas"]["Amounts"];
            /** @description Queues that would stay above their quota, and why. */
            stays?: {
                above: components["schemas"]["Amounts"];
                because: string;
                queue: string;
            }[];
            /** @description What the switch of the partition would be turned to; null: it stays as it is. */
            switched?: ("on" | "off") | null;
            /** @description Allocations that the change would evict, not those of clocks that it does not affect. */
            victims?: number;
            /** @description Runs that would wait for an operator. */
            waitsForApproval?: number;
            /** @description As of a dry run of the alternative. */
            warnings?: components["schemas"]["ConfigurationWarning"][];
        };
        /** @description In base units. null: the type has no limit, or no guarantee, on that side, unless a share stands in its place. */
        AmountChange: {
            /**
             * @description `depends`: a share of the cluster on one side and amounts on the other; the size of the cluster decides.
             * @enum {string}
             */
            change: "raise" | "lower" | "depends";
            from: number | null;
            /** @description The share of the cluster in place of an amount, such as `25 %`. */
            fromShare?: string;
            to: number | null;
            /** @description The share of the cluster in place of an amount, such as `25 %`. */
            toShare?: string;
            type: string;
        };
        /** @description Amounts in base units by resource type: memory in bytes, vcore in millicores, other types in units. */
        Amounts: {
            [key: string]: number;
        };
        Application: {
            allocations: number;
            id: string;
            /** @description The part of the usage that is leaving. */
            inFlight: components["schemas"]["Amounts"];
            /** @description Of several, the first by name. */
            queue: string;
            /**
             * Format: date-time
             * @description When its first allocation started.
             */
            startedAt: string;
            usage: components["schemas"]["Amounts"];
            user: string | null;
        };
        ApplicationPage: {
            items: components["schemas"]["Application"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ApplicationWork: {
            application: string;
            leaving: number;
            priority: number;
            queue: string;
            running: number;
            usage: components["schemas"]["Amounts"];
            user: string | null;
            waiting: number;
            /** @description Its weight among the operations of its pool; null if fair-share was given none. */
            weight: number | null;
        };
        ApplicationWorkList: {
            items: components["schemas"]["ApplicationWork"][];
        };
        Applied: {
            /**
             * Format: date-time
             * @description When the configuration came into force.
             */
            appliedAt: string;
            /** @description Queues whose max or effective delay changed, or which were removed. */
            changed: components["schemas"]["ChangedQueue"][];
            digest: string;
            /** @description Queues whose guaranteed amounts changed; not those that were removed. */
            guaranteedChanged: components["schemas"]["ChangedGuaranteed"][];
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            partition: string;
            policyChanges: components["schemas"]["PolicyChange"][];
            /** @description The switch before; null before the first configuration. */
            previousQuotaPreemptionEnabled: boolean | null;
            /** @description Queues whose properties for policies changed. */
            propertiesChanged: string[];
            queues: number;
            quotaPreemptionEnabled: boolean;
            /** @description Runs in progress in changed queues, or in the whole partition where its switch was turned off. */
            running: components["schemas"]["RunningRun"][];
            /** @description Version of the configuration in force, as in the last event of its change. */
            version: number;
            warnings: components["schemas"]["ConfigurationWarning"][];
        };
        ApprovedRun: {
            /** @description The run waited for a ceiling: all runs of its configuration are approved with it. */
            change?: components["schemas"]["ChangeDecided"];
            enforcement: string;
            /** @description A sentence if the quota changed since the run was planned. */
            note?: string;
            queue: string;
        };
        ArchivablePartition: {
            /** @description Number of events, as the database estimates it. */
            events: number;
            /** @description null for the first partition of the log */
            from: string | null;
            partition: string;
            /** @description Number of these events that stay in the database because they are still in use. */
            stay: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            to: string;
        };
        /** @description With `dryRun`: the partitions that would be archived. */
        ArchivablePartitions: {
            partitions: components["schemas"]["ArchivablePartition"][];
        };
        ArchiveDone: {
            /** @description The id that GET /v1/replays lists it by; absent with `dryRun`, which keeps none. */
            replay?: string;
            result: components["schemas"]["ArchiveResult"] | components["schemas"]["ArchivablePartitions"];
        };
        /** @description One line of JSON: progress on the way, then the result or an error. */
        ArchiveLine: components["schemas"]["ProgressLine"] | components["schemas"]["ArchiveResultLine"] | components["schemas"]["ErrorLine"];
        ArchiveResult: {
            events: number;
            partitions: components["schemas"]["ArchivedPartition"][];
        };
        ArchiveResultLine: {
            result: components["schemas"]["ArchiveResult"] | components["schemas"]["ArchivablePartitions"];
        };
        ArchivedPartition: {
            bytes: number;
            events: number;
            file: string;
            /** @description The place of the first event; null without events. */
            first: {
                position: string;
                transactionId: string;
            } | null;
            folder: string;
            /**
             * @description The version of the file format.
             * @constant
             */
            format: 1;
            /** @description null for the first partition of the log */
            from: string | null;
            /** @description The place of the last event; null without events. */
            last: {
                position: string;
                transactionId: string;
            } | null;
            partition: string;
            plans: number;
            /** @description Plans whose input was no longer kept. */
            plansWithoutInput: number;
            /** @description Digest of the file on disk, in hex. */
            sha256: string;
            /** @description Events that stay in the database as well. */
            stayed: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            to: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            writtenAt: string;
        };
        Attention: {
            about: components["schemas"]["Subject"];
            code: string;
            /** @description One sentence. */
            message: string;
            /** @description The remedy, without a full stop. */
            remedy: string;
            /** @description The page of docs/runbooks that says what to do, such as `docs/runbooks/kafka-down.md`; absent: the remedy is all there is to do. */
            runbook?: string;
        };
        AuditPage: {
            /** @description One AuditRecord as JSON in each line, oldest first. */
            lines: string;
            /** @description What the page is, so that nobody can leave out or move whole pages. */
            page: components["schemas"]["AuditedPage"];
            /** @description Over `lines` and the JSON text of `page`, by a key of GET /v1/keys; null: CURTAIL_SIGNING_KEY_FILE is not set. */
            signature: {
                /** @constant */
                alg: "EdDSA";
                kid: string;
                signature: string;
            } | null;
        };
        AuditedPage: {
            /** @description The position of the record before the page; 0: it is the first page. */
            after: string;
            /**
             * Format: date-time
             * @description When the page was read.
             */
            at: string;
            by: string | null;
            /** @description The position at which the log ended then. */
            end: string;
            /** @description Pass it as `after` to read on; null: it is the last page. */
            next: string | null;
            partition: string | null;
            records: number;
            since: string;
            until: string | null;
        };
        CancelledRun: {
            enforcement: string;
            queue: string;
            /** @description The state of the run before. */
            was: string;
        };
        ChangeDecided: {
            approved: boolean;
            partition: string;
            /** @description Its runs that have not ended. */
            runs: number;
            /** @description The end of an approval; null: rejected. */
            until: string | null;
            /** @description Version of the configuration. */
            version: number;
        };
        /** @description What the runs that one version of a configuration causes have evicted and would evict. */
        ChangeEffect: {
            /** @description Its clocks whose runs are still to start, the earliest first. */
            clocks: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                dueAt: string;
                /** @description null: what its run would evict is not planned before it is due. */
                foresight: components["schemas"]["ClockForesight"] | null;
                queue: string;
            }[];
            /** @description null: neither approved nor rejected, or the approval has expired. */
            decision: {
                approved: boolean;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                by: string;
                reason: string | null;
                until: string | null;
            } | null;
            /** @description Victims of its ended runs. */
            evicted: number;
            /** @description Those beyond the first 100. */
            moreClocks: number;
            /** @description Planned victims by owner. */
            owners: {
                /** @description Empty: unknown. */
                owner: string;
                resources: components["schemas"]["Amounts"];
                victims: number;
            }[];
            partition: string;
            /** @description Victims of its runs that have not ended. */
            planned: {
                resources: components["schemas"]["Amounts"];
                victims: number;
            };
            /** @description Planned victims by queue. */
            queues: {
                queue: string;
                resources: components["schemas"]["Amounts"];
                victims: number;
            }[];
            /** @description Its runs that have a plan and have not ended. */
            runs: {
                open: number;
                /** @description Runs that wait for approval. */
                waiting: number;
            };
            /** @description Version of the configuration. */
            version: number;
        };
        /** @enum {string} */
        ChangeEvent: "QuotaChanged" | "QueueRemoved";
        /** @description Guaranteed amounts before and after: plans depend on them, clocks do not. */
        ChangedGuaranteed: {
            current: {
                /** @description null: nothing is guaranteed. */
                guaranteed: components["schemas"]["Amounts"] | null;
                /** @description The guaranteed share of the cluster, such as `1/4`; absent for amounts. */
                guaranteedShare?: string;
            };
            previous: {
                /** @description null: nothing is guaranteed. */
                guaranteed: components["schemas"]["Amounts"] | null;
                /** @description The guaranteed share of the cluster, such as `1/4`; absent for amounts. */
                guaranteedShare?: string;
            };
            queue: string;
        };
        ChangedQueue: {
            /** @description The effect on its clock, if no run is in progress. */
            clock: components["schemas"]["ClockPreview"];
            /** @description A removed queue counts as one without max. */
            current: components["schemas"]["QuotaValues"];
            event: components["schemas"]["ChangeEvent"];
            previous: components["schemas"]["QuotaValues"];
            queue: string;
        };
        ClearedWork: {
            allocations: number;
            applications: number;
        };
        /** @enum {string} */
        ClockEffect: "starts or restarts" | "cancels" | "none";
        /** @description What the run of a clock would evict now, and who has been notified. */
        ClockForesight: {
            /** @description Applications whose owners are notified. */
            applications: number;
            /**
             * Format: date-time
             * @description The view of the cluster that was planned.
             */
            checkedAt: string;
            /** @description Why the last check could make no plan: the numbers are older. */
            fault: string | null;
            /** @description Applications with victims beyond those that are notified. */
            moreApplications: number;
            /** @description The last notice; null: no owner is concerned. */
            notifiedAt: string | null;
            /** @description Of the applications below, if the run were due now. */
            victims: number;
        };
        /** @description The effect of a save on the clock of a queue, and its reason. */
        ClockPreview: {
            because: string;
            effect: components["schemas"]["ClockEffect"];
        };
        CommandedRun: {
            enforcement: string;
            queue: string;
        };
        ConfigurationChanges: {
            policies: components["schemas"]["PolicyChange"][];
            /** @description At most 1000, those of the new version first; the counts of the version are complete. */
            queues: components["schemas"]["QueueDifference"][];
            /** @description The switch of quota enforcement, if it changed; `from` is null in a first version. */
            switched: {
                from: boolean | null;
                to: boolean;
            } | null;
        };
        ConfigurationError: {
            column?: number;
            /** @description The file of a configuration in several files; absent for the first. */
            file?: string;
            line?: number;
            /** @description What is wrong, and what would be right. */
            message: string;
            /** @description The field, such as `partitions[0].queues[1].resources`; empty for the whole document. */
            path: string;
        };
        ConfigurationInForce: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            appliedAt: string;
            /** @description The text as it was sent. */
            body: string;
            /** @description sha256 of the text, hex. */
            digest: string;
            /** @enum {string} */
            format: "yunikorn" | "capacity-scheduler" | "ytsaurus";
            partition: string;
            policies: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            quotaPreemptionEnabled: boolean;
            version: number;
        };
        ConfigurationVersion: {
            /** @description Queues that the version before did not have. */
            added: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            appliedAt: string;
            /** @description Its sender; null if the sender gave no name. */
            by: string | null;
            /** @description Queues with other settings than in the version before. */
            changed: number;
            /** @description sha256 of the text, hex. */
            digest: string;
            format: string;
            inForce: boolean;
            /** @description The queue whose entry alone was sent; the rest of the text is that of the version before. */
            onlyQueue: string | null;
            partition: string;
            /** @description The version it replaced; null if it was the first, or is unknown. */
            previous: number | null;
            removed: number;
            /** @description The version whose text it has again. */
            rolledBackTo: number | null;
            /** @description The CloudEvents source of a submission over Kafka. */
            source: string | null;
            /** @description The id that the sender of a submission over Kafka chose. */
            submission: string | null;
            version: number;
            /** @description null: not recorded. */
            via: ("http" | "kafka") | null;
        };
        ConfigurationVersionDetail: {
            /** @description Queues that the version before did not have. */
            added: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            appliedAt: string;
            /** @description The text as it was sent. */
            body: string;
            /** @description Its sender; null if the sender gave no name. */
            by: string | null;
            /** @description Queues with other settings than in the version before. */
            changed: number;
            /** @description null: not recorded. */
            changes: components["schemas"]["ConfigurationChanges"] | null;
            /** @description sha256 of the text, hex. */
            digest: string;
            format: string;
            inForce: boolean;
            /** @description The queue whose entry alone was sent; the rest of the text is that of the version before. */
            onlyQueue: string | null;
            partition: string;
            /** @description The version it replaced; null if it was the first, or is unknown. */
            previous: number | null;
            quotaPreemptionEnabled: boolean;
            removed: number;
            /** @description The version whose text it has again. */
            rolledBackTo: number | null;
            /** @description The CloudEvents source of a submission over Kafka. */
            source: string | null;
            /** @description The id that the sender of a submission over Kafka chose. */
            submission: string | null;
            version: number;
            /** @description null: not recorded. */
            via: ("http" | "kafka") | null;
        };
        ConfigurationVersionPage: {
            items: components["schemas"]["ConfigurationVersion"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ConfigurationWarning: {
            /** @description The queue of the field, else the partition. */
            about: components["schemas"]["Subject"];
            /** @enum {string} */
            code: "delay-bare-number" | "delay-unusual" | "unknown-resource-type" | "unknown-key" | "without-effect" | "node-labels" | "other-scheduler" | "preemption-by-default" | "cluster-size-unknown" | "enforcement-ends" | "nothing-enforced" | "similar-name" | "ignored-attribute" | "guarantee-above-limit" | "guarantee-incomplete" | "guaranteed-equals-max" | "misspelt-property" | "guaranteed-above-max" | "aggressive-at-once";
            column?: number;
            /** @description The file of a configuration in several files; absent for the first. */
            file?: string;
            line?: number;
            /** @description What is wrong, and what would be right. */
            message: string;
            /** @description The field, such as `partitions[0].queues[1].resources`; empty for the whole document. */
            path: string;
        };
        DeadLetter: {
            /** @description Number of times that it was put aside. */
            attempts: number;
            consumer: string;
            event: string;
            /** @description The field at fault, if the message itself is wrong. */
            field: string | null;
            key: string;
            /** @description The remedy, without a full stop. */
            nextStep: string;
            /** @description Its place on Kafka, if it came from there. */
            origin: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            parkedAt: string;
            reason: string;
            /** @description When a retry was requested that has not ended. */
            retryAskedAt: string | null;
            /** @description When it is handled again without a request; null: only an operator has it handled. */
            retryAt: string | null;
            retryBy: string | null;
            /** @description Whether it can be retried. */
            retryable: boolean;
            source: string | null;
            topic: string;
            /** @description The name of the catalog, or the type of the message. */
            type: string;
        };
        DeadLetterDetail: {
            /** @description Number of times that it was put aside. */
            attempts: number;
            consumer: string;
            event: string;
            /** @description The field at fault, if the message itself is wrong. */
            field: string | null;
            key: string;
            /** @description Its event; null where it is not in the log. `position` is that of `curtail get events`. */
            logged: {
                data: unknown;
                partition: string;
                position: string;
                stream: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                time: string;
                version: number;
            } | null;
            /** @description The remedy, without a full stop. */
            nextStep: string;
            /** @description Its place on Kafka, if it came from there. */
            origin: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            parkedAt: string;
            reason: string;
            /** @description When a retry was requested that has not ended. */
            retryAskedAt: string | null;
            /** @description When it is handled again without a request; null: only an operator has it handled. */
            retryAt: string | null;
            retryBy: string | null;
            /** @description Whether it can be retried. */
            retryable: boolean;
            source: string | null;
            topic: string;
            /** @description The name of the catalog, or the type of the message. */
            type: string;
        };
        DeadLetterPage: {
            items: components["schemas"]["DeadLetter"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        DeadLettersDone: {
            /** @description Letters that cannot be retried. */
            left: {
                consumer: string;
                event: string;
                nextStep: string;
            }[];
            letters: {
                consumer: string;
                event: string;
            }[];
            /** @description More letters match than one request takes. */
            more: boolean;
        };
        DigestReplay: {
            /** @description The first thousand; there are `plans` less `same` and `notKept` of them. */
            different: {
                because?: string;
                enforcement: string;
                queue: string;
                recorded: string;
                /** @description null if there is no plan; `because` states why. */
                replayed: string | null;
            }[];
            /** @description Plans whose input is no longer kept: they cannot be compared. */
            notKept: number;
            plans: number;
            same: number;
        };
        Element: {
            belowFairShareSince: string | null;
            demandShare: number;
            /** @description The settings in force for it. */
            effective: {
                [key: string]: unknown;
            };
            /** @description The dominant share of the cluster: 1 is all of it. */
            fairShare: number;
            /** @enum {string} */
            kind: "pool" | "operation";
            /** @description The path of the pool, or the id of the operation. */
            name: string;
            /** @description The pool itself, or that of the operation. */
            queue: string;
            /** @description Usage by fair share: below 1 it has less. */
            satisfaction: number | "infinite";
            /** @enum {string} */
            starvation: "non_starving" | "starving" | "aggressively_starving";
            starvingSince: string | null;
            status: components["schemas"]["ElementStatus"];
            /**
             * Format: date-time
             * @description The time of the snapshot.
             */
            takenAt: string;
            usageShare: number;
        };
        ElementPage: {
            items: components["schemas"]["Element"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        /** @enum {string} */
        ElementStatus: "normal" | "below_fair_share";
        Enforcement: {
            claimed: components["schemas"]["Amounts"] | null;
            /** @description When the delay of its clock is over. */
            dueAt: string | null;
            endedAt: string | null;
            enforcement: string;
            evicted: number;
            /** @description What its victims freed. Of an open run: so far, in the answer about this one run; null in lists. null: nothing yet. */
            freed: components["schemas"]["Amounts"] | null;
            lateMs: number | null;
            message: string | null;
            mode: string | null;
            /** @description Victims of a round whose owners were notified, by it or before, and which wait. */
            notified: number;
            outcome: string | null;
            partition: string;
            planOutcome: string | null;
            policy: string;
            /** @description The queue whose quota the run enforces; `root` for a round, which concerns all queues. */
            queue: string;
            /** @description Number of the round; null for a policy that does not plan in rounds. */
            round: number | null;
            shortfall: components["schemas"]["Amounts"] | null;
            startedAt: string | null;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            /** @enum {string} */
            state: "scheduled" | "suspended" | "cancelled" | "planning" | "plan failed" | "planned" | "waiting for approval" | "approved" | "rejected" | "executing" | "ended";
            target: components["schemas"]["Amounts"] | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updatedAt: string;
            victims: number;
            /** @description Why it does not continue: as of a timer before it starts; then `approval`, `cluster-unknown`, `refused` (evictions are requested again), `extension` (owners extended their time) or `grace` (owners have time to finish). null: it continues, or has ended. */
            waiting: components["schemas"]["Waiting"] | null;
        };
        EnforcementDetail: {
            /** @description The run waits for a ceiling of the partition: an approval covers all runs of this version of the configuration. null: only itself. */
            approvedWith?: number | null;
            claimed: components["schemas"]["Amounts"] | null;
            /** @description When the delay of its clock is over. */
            dueAt: string | null;
            endedAt: string | null;
            enforcement: string;
            evicted: number;
            /** @description What its victims freed. Of an open run: so far, in the answer about this one run; null in lists. null: nothing yet. */
            freed: components["schemas"]["Amounts"] | null;
            lateMs: number | null;
            /** @description How long the evictions that remain take at least, at the rate of the queue and of the partition. null: it has ended, or no longer evicts. */
            leastSeconds?: number | null;
            message: string | null;
            mode: string | null;
            /** @description Pass it as `after` to read the next victims. Absent on the last page. */
            next?: string;
            /** @description Victims of a round whose owners were notified, by it or before, and which wait. */
            notified: number;
            outcome: string | null;
            partition: string;
            planOutcome: string | null;
            plannedVictims: components["schemas"]["Victim"][];
            policy: string;
            /** @description The queue whose quota the run enforces; `root` for a round, which concerns all queues. */
            queue: string;
            /** @description Number of the round; null for a policy that does not plan in rounds. */
            round: number | null;
            shortfall: components["schemas"]["Amounts"] | null;
            startedAt: string | null;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            /** @enum {string} */
            state: "scheduled" | "suspended" | "cancelled" | "planning" | "plan failed" | "planned" | "waiting for approval" | "approved" | "rejected" | "executing" | "ended";
            target: components["schemas"]["Amounts"] | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updatedAt: string;
            victims: number;
            /** @description Why it does not continue: as of a timer before it starts; then `approval`, `cluster-unknown`, `refused` (evictions are requested again), `extension` (owners extended their time) or `grace` (owners have time to finish). null: it continues, or has ended. */
            waiting: components["schemas"]["Waiting"] | null;
        };
        EnforcementExplanation: {
            /** @description A sentence on where its events are, once they are no longer in the database. */
            archived: string | null;
            /** @description Full length of each list of the plan, of which an explanation with a limit has only the first entries. */
            counts?: components["schemas"]["PlanCounts"];
            enforcement: components["schemas"]["Enforcement"];
            /** @description The share of the cluster that is the quota, and its amount in the plan. Absent for a quota in amounts. */
            limit?: components["schemas"]["Limit"];
            /** @description The recorded plan; with `spared`, computed again from the recorded input while that is kept. */
            plan: components["schemas"]["Plan"] | null;
            /** @description The input is kept: the plan can be computed again. */
            replayable: boolean;
            settings: {
                [key: string]: unknown;
            } | null;
            snapshotDigest: string | null;
            /** @description Replaces `spared` of the plan in an explanation with a limit; null if the plan was not computed again. */
            sparedBy?: components["schemas"]["SparedGroup"][] | null;
            /** @description All victims, grouped. Absent: the run has none. */
            summary?: components["schemas"]["VictimSummary"];
            victims: components["schemas"]["Victim"][];
        };
        EnforcementPage: {
            items: components["schemas"]["Enforcement"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ErrorLine: {
            error: components["schemas"]["LineError"];
        };
        Event: {
            /** @description docs/reference/events.schema.json, by its type. */
            data: unknown;
            /** @description The run that it belongs to; null: to none. */
            enforcement?: string | null;
            /** @description The id in Kafka messages (`ce_id`), and of GET /v1/events/{id}. */
            id: string;
            /** @description The name of the catalog. */
            name: string;
            /** @description Grows along the log, with gaps. */
            position: string;
            queue: string;
            stream: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            time: string;
            /** @description The CloudEvents type. */
            type: string;
            version: number;
        };
        EventInContext: {
            /** @description The event that led to it. null: none in the log did. */
            cause: {
                /** @description The id in Kafka messages (`ce_id`), and of GET /v1/events/{id}. */
                id: string;
                /** @description The name of the catalog. */
                name: string;
                /** @description Grows along the log, with gaps. */
                position: string;
                queue: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                time: string;
            } | null;
            /** @description The events that it led to, oldest first; a hundred at most. */
            effects: {
                /** @description The id in Kafka messages (`ce_id`), and of GET /v1/events/{id}. */
                id: string;
                /** @description The name of the catalog. */
                name: string;
                /** @description Grows along the log, with gaps. */
                position: string;
                queue: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                time: string;
            }[];
            event: components["schemas"]["Event"];
        };
        EventPage: {
            items: components["schemas"]["Event"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ExplanationLink: {
            /** @description null: CURTAIL_TOKEN is not set, so this is the plain address of the page, for callers with the right to read. */
            expiresAt: string | null;
            /** @description The address of the page. The part behind `#` is the secret of the owner. */
            path: string;
        };
        /** @description The facts of the rule that decided for a victim, by name: docs/reference/snapshot.md, "Rules and facts". */
        Facts: {
            [key: string]: string | number | boolean;
        };
        Feed: {
            /** @description Whether a configuration of the partition is in force. */
            configured: boolean;
            /** @description Dead letters of this source, in all partitions. */
            deadLetters: number;
            /** @description Messages without effect, by reason. */
            ignored: {
                count: number;
                /** @enum {string} */
                reason: "invalid" | "other-cluster" | "other-version" | "outdated-sequence" | "unknown-partition";
            }[];
            /** @description When the last one was ignored. */
            ignoredAt: string | null;
            /** @description Reports: the greatest sequence that is applied in the partition. Configurations: the version in force, if it is of this source. */
            inForce: number | null;
            /** @enum {string} */
            kind: "inventory" | "configuration";
            /** @description Reports: whether Curtail relies on them to plan and evict. */
            known: boolean | null;
            /** @description Time from sending to handling the last message, each by its own clock: negative if that of the sender is ahead. */
            lagSeconds: number | null;
            /** @description Messages that were handled, ignored ones included. */
            messages: number;
            /** @description The command that lists its dead letters. */
            nextStep: string | null;
            /** @description Gaps and other problems of its reports, with remedies. */
            notices: components["schemas"]["InventoryNotice"][];
            /** @description null if none of its messages could be handled: all are dead letters. */
            partition: string | null;
            receivedAt: string | null;
            /** @description When the last message was sent, by the clock of the sender. */
            sentAt: string | null;
            /** @description Sequence of the last report. */
            sequence: number | null;
            /** @description The CloudEvents source; empty if its messages have none. */
            source: string;
            /** @description The sender's id of the last configuration. */
            submission: string | null;
        };
        FeedPage: {
            items: components["schemas"]["Feed"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        /** @description A clock waits while the max of its queue has turned up or down more than `turns` times in `windowSeconds`; false: never. */
        Flapping: false | {
            stableSeconds?: number;
            turns: number;
            windowSeconds: number;
        };
        /** @description Advance notice to the owner of one application. */
        Foreseen: {
            /** @description The first of them by rank, at most 20. */
            allocations: string[];
            application: string;
            /** @description The time of the cluster state that was planned last. */
            checkedAt: string | null;
            /** @description How many checks in a row have found it: the more, the more certain. */
            checks: number;
            /**
             * Format: date-time
             * @description When the run is due; the end of a freeze, if the clock falls due in one.
             */
            dueAt: string;
            /** @description Id of the run that would evict. */
            enforcement: string;
            /** @description The facts of the rule. */
            facts: components["schemas"]["Facts"] | null;
            /** @description Why the last check could not make a plan, as a sentence. The notice is then that of an earlier check. */
            fault: string | null;
            /** @description Applications that this run would evict from too, and that are not notified. */
            more: number;
            /** @description The run would wait for an operator's approval. */
            needsApproval: boolean;
            /**
             * Format: date-time
             * @description When its owner was notified last.
             */
            notifiedAt: string;
            partition: string;
            /** @description The queue of the clock. */
            queue: string;
            /** @description The rule and its facts in one sentence. */
            reason: string;
            /** @description Resources of all of them. */
            resources: components["schemas"]["Amounts"];
            /** @description The rule that decided for the first of them. */
            rule: string;
            /**
             * Format: date-time
             * @description When a check first found the application.
             */
            since: string;
            /** @description User of the application; null: unknown. */
            user: string | null;
            /** @description Number of allocations that would be evicted. */
            victims: number;
        };
        ForeseenPage: {
            items: components["schemas"]["Foreseen"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ForeseenRun: {
            checkedAt: string | null;
            /**
             * Format: date-time
             * @description When the delay is over.
             */
            dueAt: string;
            enforcement: string;
            /** @description Why the last check made no plan: the verdict is older. */
            fault: string | null;
            /** @description The run would wait for an approval first. */
            needsApproval: boolean;
            /** @description The queue of the clock: that of the allocation, or one above. */
            queue: string;
            /** @description Why the first victim of its application was chosen. */
            reason: string | null;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            /**
             * @description What a plan that was made at `checkedAt` does to it. `unknown`: nothing was planned, or its application has victims that are not named.
             * @enum {string}
             */
            verdict: "evicted" | "stays" | "unknown";
            /** @description The victims of its application. */
            victims: number;
            waiting: components["schemas"]["Waiting"];
        };
        FoundVictim: {
            allocation: string;
            application: string;
            /**
             * Format: date-time
             * @description When its state last changed.
             */
            at: string;
            enforcement: string;
            /** @description The user of its application. null: not known. */
            owner?: string | null;
            queue: string;
            reason: string;
            state: string;
        };
        FoundVictims: {
            items: components["schemas"]["FoundVictim"][];
        };
        Freeze: {
            /** @description The user who set it, or who sent the configuration. */
            by: string;
            freeze: string;
            /** @description Start of the window in effect, else of the next one; null if there is none. */
            from: string | null;
            inEffect: boolean;
            partition: string;
            /** @description The queue and all below it; null: the whole partition. */
            queue: string | null;
            reason: string | null;
            /** @description null: once */
            recurs: {
                duration: string;
                rule: string;
                start: string;
                timeZone: string;
            } | null;
            /**
             * Format: date-time
             * @description When it was set.
             */
            since: string;
            /**
             * @description configuration: the configuration in force sets it, in the properties of the queue.
             * @enum {string}
             */
            source: "operator" | "configuration";
            /** @description The end of that window. */
            until: string | null;
        };
        FreezeList: {
            items: components["schemas"]["Freeze"][];
        };
        FreezeSet: {
            /** @description The user who set it, or who sent the configuration. */
            by: string;
            /** @description Whether the configuration in force has the queue. The command has taken effect either way. */
            configured: boolean;
            freeze: string;
            /** @description Start of the window in effect, else of the next one; null if there is none. */
            from: string | null;
            inEffect: boolean;
            partition: string;
            /** @description The queue and all below it; null: the whole partition. */
            queue: string | null;
            reason: string | null;
            /** @description null: once */
            recurs: {
                duration: string;
                rule: string;
                start: string;
                timeZone: string;
            } | null;
            /**
             * Format: date-time
             * @description When it was set.
             */
            since: string;
            /**
             * @description configuration: the configuration in force sets it, in the properties of the queue.
             * @enum {string}
             */
            source: "operator" | "configuration";
            /** @description The end of that window. */
            until: string | null;
        };
        FreezesCleared: {
            /** @description The ids of the freezes that were cleared. */
            cleared: string[];
            /** @description The ids of those that the configuration sets: they end with another configuration. */
            kept: string[];
            partition: string;
        };
        HeldListing: {
            /** @description Running allocations that it would remove. */
            drops: number;
            /** @description All running allocations. */
            of: number;
            /** @description The queues that would lose most; ten at most. */
            queues: {
                drops: number;
                queue: string;
            }[];
            sequence: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            since: string;
        };
        HistoryMark: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            /** @description The person who caused it; null: no person did, or the name is not known. */
            by: string | null;
            /** @description The version of the configuration that it belongs to. */
            configuration: number | null;
            /** @description The number of events that the mark stands for: of older events, only the last of each period is shown. */
            count: number;
            /** @description The run that it belongs to. */
            enforcement: string | null;
            /** @description The name of the catalog. */
            event: string;
            /** @enum {string} */
            kind: "quota" | "clock" | "run" | "stop" | "setting";
            /** @description Of the event in the log. */
            position: string;
            sentence: string;
        };
        InventoryAccepted: {
            /** @description Number of running allocations that the listing removed. */
            drops: number;
            /** @description Number of running allocations before the listing. */
            of: number;
            partition: string;
            sequence: number;
        };
        InventoryNotice: {
            about: components["schemas"]["Subject"];
            code: string;
            /** @description Number of reports or listings that it concerns. */
            count: number | null;
            message: string;
            remedy: string;
            /** @description The page of docs/runbooks that says what to do, such as `docs/runbooks/kafka-down.md`; absent: the remedy is all there is to do. */
            runbook?: string;
            since: string | null;
            source: string | null;
        };
        InventoryReset: {
            listedSequence: number;
            newestSequence: number;
            partition: string;
        };
        InventoryStatus: {
            items: components["schemas"]["PartitionInventory"][];
            /** @description Kafka partitions with reports that are not applied yet. */
            unread: {
                place: string;
                reports: number;
            }[];
        };
        Limit: {
            /** @description null: no limit */
            max: components["schemas"]["Amounts"] | null;
            /** @description A fraction of the cluster, such as `1/4`; `max` is its amount in the snapshot. */
            maxShare?: string;
        };
        LineError: {
            message: string;
            path?: string;
        };
        LinkedExplanation: {
            allocation: string;
            /** @description Runs that chose the allocation. */
            chosen: {
                /** @description The subject of code and message. */
                about: components["schemas"]["Subject"] | null;
                allocation: string;
                application: string;
                code: string | null;
                enforcement: string;
                /** @description The facts of that rule, by name; each policy has its own. null: it has none. */
                facts?: components["schemas"]["Facts"] | null;
                message: string | null;
                /** @description The user of its application. null: not known. */
                owner?: string | null;
                queue: string;
                /** @description The quota that the run enforces; null: none, or its plan is no longer in the log. */
                quota: components["schemas"]["Amounts"] | null;
                /** @description The order of eviction. */
                rank: number;
                reason: string;
                resources: components["schemas"]["Amounts"];
                /** @description The code of the rule that decided: the one that put it before the next victim, by which its application gives way, or its `cause`. null: its policy has none. */
                rule?: string | null;
                /** @description The run, in numbers. */
                run: {
                    evicted: number;
                    policy: string;
                    /** @description The queue whose quota the run enforces; `root` for a round, which concerns all queues. */
                    queue: string;
                    startedAt: string | null;
                    target: components["schemas"]["Amounts"] | null;
                    victims: number;
                };
                state: string;
                uid: string | null;
            }[];
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expiresAt: string;
            /** @description Runs that are to start in its queue or above it, the first to start before the others, and what they would do to it now. */
            foreseen?: components["schemas"]["ForeseenRun"][];
            partition: string;
            /** @description Its queue, now or when a run chose it; null if neither is known: then the latest runs of the partition were tried. */
            queue: string | null;
            /** @description The latest runs that spared it, and why: of its queue or one above, and rounds that took victims in its queue. */
            spared: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                enforcement: string;
                /** @description One sentence with the numbers. */
                message?: string;
                queue: string;
                reason: string;
            }[];
            /** @description Runs whose plans are too large to be computed again for this. Absent: none. */
            tooLarge?: string[];
        };
        LinksRevoked: {
            allocation: string;
            partition: string;
            /**
             * Format: date-time
             * @description Links that were made before no longer work.
             */
            revokedAt: string;
        };
        LoadDone: {
            result: components["schemas"]["LoadedWork"];
        };
        /** @description One line of JSON: progress on the way, then the result or an error. */
        LoadLine: components["schemas"]["ProgressLine"] | components["schemas"]["LoadResultLine"] | components["schemas"]["ErrorLine"];
        LoadResultLine: {
            result: components["schemas"]["LoadedWork"];
        };
        LoadedWork: {
            allocations: number;
            applications: number;
            nodes: number;
            partition: string;
            queues: number;
            under: string;
        };
        LogBlock: {
            /** @description Number in the chain of the partition, from 1. */
            block: number;
            /** @description Hex. */
            hash: string;
            partition: string;
            pass: number;
            /** @description The place up to which the pass went. */
            through: {
                position: string;
                transactionId: string;
            };
        };
        LogFault: {
            /** @description Digest of the event that is there, in hex. */
            found?: string;
            /** @enum {string} */
            kind: "changed" | "missing" | "added" | "reordered" | "broken-chain" | "other-checkpoint";
            message: string;
            /** @description The partition of Curtail whose chain shows it; `*` for all. */
            partition: string;
            /** @description Position of the event; of a block, that of its last event. */
            position: string;
            /** @description Digest of the event in the chain, in hex. */
            recorded?: string;
        };
        LogPartition: {
            archive: ({
                file: string;
                folder: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description null: from the beginning */
            from: string | null;
            name: string;
            state: ("written" | "detached" | "dropped") | null;
            /** @description The place up to which it is archived. */
            through: {
                position: string;
                transactionId: string;
            } | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            to: string;
        };
        LogPartitionList: {
            items: components["schemas"]["LogPartition"][];
        };
        LogVerification: {
            /** @description Events of these blocks that are only in archives. */
            archived: number;
            /** @description No block follows. */
            atEnd: boolean;
            blocks: components["schemas"]["LogBlock"][];
            /** @description Events in the database that were compared. */
            events: number;
            faults: components["schemas"]["LogFault"][];
            /** @description The last pass over the log that was compared; ask for the next page after it. */
            pass: number;
        };
        Login: {
            /** @description That the token must have. */
            audience: string | null;
            /** @description Of the issuer; null: it has not answered. */
            authorizationEndpoint: string | null;
            /** @description The public client as which they do. */
            clientId: string | null;
            /** @description The OIDC issuer where people log in; null: people cannot. */
            issuer: string | null;
            /** @description To ask for, separated by spaces. */
            scopes: string | null;
            /** @description Of the issuer; null: it has not answered. */
            tokenEndpoint: string | null;
        };
        /** @description observe: plans are made and nothing is evicted; enforce: victims are evicted. */
        Mode: {
            /** @description The setting `CURTAIL_MODE=observe` of services overrides the mode of the partition: nothing is evicted. Absent: no setting does. */
            limited?: {
                /** @description The services with this setting: planner, executor. */
                by: string[];
                /** @description The mode that was set for the partition, which does not count; null: none. */
                set: components["schemas"]["ModeName"] | null;
            };
            mode: components["schemas"]["ModeName"];
            /** @description No mode was set for the partition: it has that of the setting `CURTAIL_DEFAULT_MODE`. */
            modeIsDefault: boolean;
            partition: string;
        };
        /** @enum {string} */
        ModeName: "observe" | "enforce";
        ModeSet: {
            /** @description Whether the configuration in force has the queue. The command has taken effect either way. */
            configured: boolean;
            mode: components["schemas"]["ModeName"];
            partition: string;
        };
        NameList: {
            items: string[];
        };
        Notice: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            code: string;
            /** @description null: it belongs to no run. */
            enforcement: string | null;
            /** @description The kind of its subject; null if it has none. */
            kind: string | null;
            message: string;
            /** @description The name of its subject; null if it has none. */
            name: string | null;
            partition: string;
            queue: string;
        };
        NoticePage: {
            items: components["schemas"]["Notice"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        OwnerAnswer: {
            allocation: string;
            /**
             * @description ready: evict it now. checkpointed: its work is saved. extend: evict it later.
             * @enum {string}
             */
            answer: "ready" | "checkpointed" | "extend";
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            answeredAt: string;
            application: string;
            by: string;
            /** @description For checkpointed: work done before this time is not lost. */
            checkpointedAt: string | null;
            /** @description For ready and extend: the run. */
            enforcement: string | null;
            /** @description The id of the answer: however often it is sent, it counts once. */
            id: string;
            /** @description The answer in a sentence. */
            message: string;
            partition: string;
            queue: string;
            /** @description The answer was recorded before, and nothing changed. */
            repeated: boolean;
            /** @description For extend: its length in seconds. */
            seconds: number | null;
            /** @description The incarnation; null: the cluster has none. */
            uid: string | null;
            /** @description For extend: the eviction is not requested before this time; null: the run is not open yet, and the seconds count from its opening. */
            until: string | null;
        };
        /** @description How many victims one owner has at most within a time, over all runs of the partition. Each entry holds by itself; none: no budget. */
        OwnerBudgets: {
            /**
             * @description Whose victims are counted.
             * @enum {string}
             */
            per: "user" | "application" | "queue";
            /** @description The window; 0: the victims of one plan. */
            seconds: number;
            /** @description The maximum. */
            victims: number;
        }[];
        Partition: {
            /** @description When the configuration came into force. */
            appliedAt: string | null;
            /** @description The setting `CURTAIL_MODE=observe` of services overrides the mode of the partition: nothing is evicted. Absent: no setting does. */
            limited?: {
                /** @description The services with this setting: planner, executor. */
                by: string[];
                /** @description The mode that was set for the partition, which does not count; null: none. */
                set: components["schemas"]["ModeName"] | null;
            };
            /** @description observe: plans are made and nothing is evicted; enforce: victims are evicted. */
            mode: components["schemas"]["ModeName"];
            /** @description No mode was set for the partition: it has that of the setting `CURTAIL_DEFAULT_MODE`. */
            modeIsDefault: boolean;
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            partition: string;
            /** @description Policies with rounds that the configuration in force switches on. */
            policies: string[];
            /** @description Queues of the configuration in force. */
            queues: number;
            /** @description The switch of the configuration in force; null: no configuration is in force. */
            quotaPreemptionEnabled: boolean | null;
            stops: components["schemas"]["Stop"][];
            /** @description Version of the configuration in force. */
            version: number | null;
        };
        PartitionInventory: {
            held: components["schemas"]["HeldListing"] | null;
            /** @description Whether Curtail relies on these reports to plan and evict. */
            known: boolean;
            /** @description When the last report was sent, by the clock of the sender. */
            lastReportAt: string | null;
            listedAt: string | null;
            listedSequence: number;
            newestSequence: number;
            /** @description Notices about the reports; those that make the partition unknown come first. */
            notices: components["schemas"]["InventoryNotice"][];
            partition: string;
            source: string | null;
        };
        PartitionPage: {
            items: components["schemas"]["Partition"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        PartitionSituation: {
            above: {
                /** @description Queues above their quota. */
                count: number;
                /** @description The first 20, those without a reason before the others, by path. */
                first: components["schemas"]["QueueAboveQuota"][];
            };
            /** @description When the configuration came into force. */
            appliedAt: string | null;
            due: {
                /** @description Clocks of quotas that run. */
                count: number;
                /** @description The first 20, by due time. */
                first: components["schemas"]["Timer"][];
            };
            /** @description Those in effect now. */
            freezes: components["schemas"]["Freeze"][];
            /** @description Reports of the cluster; null if it is simulated. */
            inventory: components["schemas"]["PartitionInventory"] | null;
            /** @description The setting `CURTAIL_MODE=observe` of services overrides the mode of the partition: nothing is evicted. Absent: no setting does. */
            limited?: {
                /** @description The services with this setting: planner, executor. */
                by: string[];
                /** @description The mode that was set for the partition, which does not count; null: none. */
                set: components["schemas"]["ModeName"] | null;
            };
            /** @description observe: plans are made and nothing is evicted; enforce: victims are evicted. */
            mode: components["schemas"]["ModeName"];
            /** @description No mode was set for the partition: it has that of the setting `CURTAIL_DEFAULT_MODE`. */
            modeIsDefault: boolean;
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            partition: string;
            /** @description Policies with rounds that the configuration in force switches on. */
            policies: string[];
            /** @description Queues of the configuration in force. */
            queues: number;
            /** @description The switch of the configuration in force; null: no configuration is in force. */
            quotaPreemptionEnabled: boolean | null;
            running: {
                /** @description Runs in progress that do not wait for approval. */
                count: number;
                /** @description The first 20, oldest first. */
                first: components["schemas"]["Enforcement"][];
            };
            stops: components["schemas"]["Stop"][];
            /** @description Clocks of quotas that are suspended. */
            suspended: number;
            /** @description Version of the configuration in force. */
            version: number | null;
            waiting: {
                /** @description Runs that wait for approval. */
                count: number;
                /** @description The first 20, oldest first. */
                first: components["schemas"]["Enforcement"][];
            };
        };
        PendingPreview: {
            clock: components["schemas"]["ClockPreview"];
            current: components["schemas"]["QuotaValues"];
            /** @description When its delay is over; null while a stop holds the clock. */
            dueAt?: string | null;
            /** @description Victims of the plan that a stop of their queue spares. */
            held?: string[];
            /** @description Its place among the runs, in the order in which they start. */
            order?: number;
            /** @description The plan at its start, if the work stayed as it is now. */
            plan?: components["schemas"]["Plan"];
            /** @description Why there is no plan: the run would fail with this. */
            planFault?: string;
            queue: string;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            waitsFor?: components["schemas"]["Wait"][];
        };
        PlacedScenario: {
            allocations: number;
            applications: number;
            nodes: number;
            partition: string;
        };
        /** @description docs/reference/snapshot.md, "Plan". */
        Plan: {
            /** @constant */
            apiVersion: "curtail/v1";
            claimed: components["schemas"]["Amounts"];
            collateral: components["schemas"]["Amounts"];
            inFlight: components["schemas"]["Amounts"];
            /** @constant */
            kind: "Plan";
            notices: components["schemas"]["PlanNotice"][];
            /** @constant */
            observeOnly?: true;
            outcome: components["schemas"]["PlanOutcome"];
            overshoot: components["schemas"]["Amounts"];
            policy: string;
            /** @description Absent: the plan is for all queues. */
            queue?: string;
            shares: components["schemas"]["PlanShare"][];
            shortfall: components["schemas"]["Amounts"];
            /** @description Present only with the setting `explain`. */
            spared?: {
                allocation: string;
                /** @description One sentence with the numbers. */
                message?: string;
                reason: components["schemas"]["SparedReason"];
            }[];
            target: components["schemas"]["Amounts"];
            victims: components["schemas"]["PlannedVictim"][];
        } & {
            [key: string]: unknown;
        };
        PlanCounts: {
            applications: number;
            notices: number;
            reasons: number;
            shares: number;
            starts: number;
            statuses: number;
            users: number;
            victims: number;
        };
        PlanNotice: {
            about: components["schemas"]["PlanSubject"];
            code: string;
            /** @description One sentence for people. */
            message: string;
        };
        /** @enum {string} */
        PlanOutcome: "not-needed" | "satisfied" | "best-effort" | "impossible" | "skipped";
        PlanShare: {
            claimed: components["schemas"]["Amounts"];
            queue: string;
            releasable: components["schemas"]["Amounts"];
            target: components["schemas"]["Amounts"];
        } & {
            [key: string]: unknown;
        };
        /** @description The subject of a notice of a plan. */
        PlanSubject: {
            /** @enum {string} */
            kind: "partition" | "queue" | "pool" | "operation" | "application" | "allocation" | "node" | "enforcement";
            name: string;
            queue?: string;
        };
        PlanSummary: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            computedAt: string;
            enforcement: string;
            outcome: string;
            partition: string;
            planDigest: string;
            queue: string;
            snapshotDigest: string;
            target: components["schemas"]["Amounts"];
            victims: number;
        };
        PlanSummaryPage: {
            items: components["schemas"]["PlanSummary"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        PlannedVictim: {
            allocation: string;
            application: string;
            /** @description Facts of the rule that decided; only in a preview. */
            facts?: components["schemas"]["Facts"];
            node?: string;
            queue: string;
            /** @description The order of eviction. */
            rank: number;
            /** @description One sentence. */
            reason: string;
            resources: components["schemas"]["Amounts"];
            /** @description Code of the rule that decided; only in a preview. */
            rule?: string;
            uid?: string;
        } & {
            [key: string]: unknown;
        };
        PolicyChange: {
            /** @enum {string} */
            change: "starts" | "ends" | "settings";
            policy: string;
            /** @description Changed settings of a policy that ran before and continues. */
            settings: components["schemas"]["ValueChange"][];
        };
        Preview: {
            /**
             * Format: date-time
             * @description The moment of the preview, by the clock of the database; due times count from it.
             */
            at: string;
            /** @description The ceiling of the partition that the runs of the change would exceed together: they wait, and one approval covers the whole change. null: none. */
            ceiling: components["schemas"]["Waiting"] | null;
            changed: components["schemas"]["QueuePreview"][];
            /** @constant */
            dryRun: true;
            /** @description Queues whose guaranteed amounts would change; not those that would be removed. */
            guaranteedChanged: components["schemas"]["ChangedGuaranteed"][];
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            /** @description Clocks without a plan, because there are so many. */
            notPlanned: number;
            partition: string;
            /** @description Clocks of queues whose quota stays: those that are pending, and those that follow since what blocked the last run of the queue has changed; a thousand at most. */
            pending: components["schemas"]["PendingPreview"][];
            policyChanges: components["schemas"]["PolicyChange"][];
            /** @description The switch in force; null before the first configuration. */
            previousQuotaPreemptionEnabled: boolean | null;
            /** @description Queues whose properties for policies would change. */
            propertiesChanged: string[];
            quotaPreemptionEnabled: boolean;
            /** @description Removed queues count as queues without max. */
            removed: {
                clock?: components["schemas"]["ClockPreview"];
                previous: components["schemas"]["QuotaValues"];
                queue: string;
            }[];
            /** @description The next round of each policy that plans in rounds, if it would choose more than now. */
            rounds: components["schemas"]["RoundPreview"][];
            /** @description Runs in progress in changed queues, or in the whole partition where its switch would be turned off. */
            running: components["schemas"]["RunningRun"][];
            /** @description Allocations that the change would evict: not those of clocks that are pending already and stay as they are. */
            victims: number;
            warnings: components["schemas"]["ConfigurationWarning"][];
        };
        /** @description A refusal or failure as RFC 9457 describes it. */
        Problem: {
            /** @description What is wrong, in words. */
            detail: string;
            /** @description All faults of an input. */
            errors?: {
                column?: number;
                line?: number;
                message: string;
                /** @description The field. */
                path: string;
            }[];
            /** @description What to do next, if anything. */
            remedy?: string;
            /** @description The log has details under this id. */
            requestId?: string;
            /** @description The page of docs/runbooks that says what to do, such as `docs/runbooks/kafka-down.md`; absent: the remedy is all there is to do. */
            runbook?: string;
            status: number;
            title: string;
            /** @description The kind of problem, for programs: `urn:curtail:problem:<code>`. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        ProgressLine: {
            done: number;
            of: number;
            replay?: string;
            resumed?: boolean;
            unit?: string;
        };
        ProjectionsReplay: {
            /** @description Events of the log that were read. */
            events: number;
            notices: number;
            /** @description Rows of the new table of runs. */
            runs: number;
            /** @description Events of a type or shape that this version does not know. */
            unreadable: {
                count: number;
                /** @description The first of them, in words. */
                first: string[];
            };
            victims: number;
        };
        /** @description true: all work of the queue and below; false: nothing; else what matches one entry. */
        Protection: boolean | {
            allocations?: string[];
            applications?: string[];
            priorityAtLeast?: number;
            users?: string[];
        };
        PublicKeys: {
            keys: {
                /** @constant */
                alg: "EdDSA";
                /** @constant */
                crv: "Ed25519";
                /** @description Its thumbprint by RFC 7638. */
                kid: string;
                /** @constant */
                kty: "OKP";
                /** @constant */
                use: "sig";
                /** @description The public key, base64url. */
                x: string;
            }[];
        };
        Queue: {
            /** @description Of a queue that is not configured: how many allocations it holds with all below, those that are leaving included. */
            allocations?: number;
            /** @description The shares of the cluster that max and guaranteed are, such as `{"max": "1/4"}`; absent where they are amounts. */
            clusterShare?: {
                guaranteed?: string;
                max?: string;
            };
            /** @description false: the configuration in force does not have the queue: it was removed and still holds work, or a template or a placement rule has made it. Absent: it has it. */
            configured?: boolean;
            delaySeconds: number;
            /** @description When the delay of the pending enforcement is over. */
            dueAt: string | null;
            /** @description The run that holds the lock of the queue. */
            enforcement: string | null;
            guaranteed: components["schemas"]["Amounts"] | null;
            /** @description The part of the usage that is leaving. */
            inFlight: components["schemas"]["Amounts"];
            /** @description null: no limit, or a share of a cluster of which no nodes are known. */
            max: components["schemas"]["Amounts"] | null;
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            /** @description Above its quota, with no pending clock and no valid reason (docs/how-to/monitor.md, "What the reconciler finds"). */
            notMet: boolean;
            partition: string;
            /** @description The max before the last change of the quota; null: it was no amount, or that changed the delay alone. */
            previousMax: components["schemas"]["Amounts"] | null;
            queue: string;
            /** @description The state of that run; null: there is none, or it began a moment ago. */
            runState?: ("scheduled" | "suspended" | "cancelled" | "planning" | "plan failed" | "planned" | "waiting for approval" | "approved" | "rejected" | "executing" | "ended") | null;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            stopped: boolean;
            /** @description The pending enforcement is suspended: a stop covers the queue, or the switch of the partition is off. */
            suspended: boolean;
            usage: components["schemas"]["Amounts"];
            /** @description What the pending enforcement waits for, as of a timer; null: there is none. */
            waiting?: components["schemas"]["Waiting"] | null;
        };
        QueueAboveQuota: {
            /** @description The usage above the quota, without work that is leaving. */
            above: components["schemas"]["Amounts"];
            /** @description The code of what kept its last run from its target, such as `guaranteed-floor`. */
            blocked?: string;
            code: string;
            /** @description The run that the reason is about. */
            enforcement: string | null;
            queue: string;
            /** @description One sentence. */
            reason: string;
        };
        QueueConfiguration: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            appliedAt: string;
            /** @description The entry of the queue, with everything below it, as it is written. */
            body: string;
            partition: string;
            queue: string;
            /** @description The version of the whole configuration. */
            version: number;
        };
        QueueDifference: {
            /** @description The reason for the effect on the clock. */
            because: string;
            /** @enum {string} */
            change: "new" | "removed" | "changed";
            /** @enum {string} */
            clock: "starts or restarts" | "cancels" | "none";
            /** @description Effective delays in seconds; absent if unchanged. */
            delay?: {
                from: number;
                to: number;
            };
            guaranteed: components["schemas"]["AmountChange"][];
            max: components["schemas"]["AmountChange"][];
            path: string;
            /** @description Properties of the queue for policies. */
            properties?: components["schemas"]["ValueChange"][];
            shares?: components["schemas"]["ShareChange"][];
        };
        QueueExplanation: {
            /** @description Earlier events are archived; null: none are. */
            archivedUntil: string | null;
            /** @description The configuration in force has the queue. */
            configured: boolean;
            /** @description Events of its clock and its runs, the latest first. */
            history: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                event: string;
                sentence: string;
            }[];
            notices: {
                about?: components["schemas"]["Subject"];
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                code: string;
                message: string;
            }[];
            /** @description The state after the last round of fair-share; null where that policy does not run. */
            pool: components["schemas"]["Element"] | null;
            queue: components["schemas"]["Queue"];
            /** @description When a configuration removed it; null: none did, or it came back. */
            removedAt: string | null;
            /** @description The last round of each policy, where it concerns the queue. */
            rounds: components["schemas"]["QueueRound"][];
            /** @description Recorded runs that concern it, the latest first: of its quota, of a queue above, and rounds that took victims in it. */
            runs: components["schemas"]["QueueRun"][];
            timer: components["schemas"]["Timer"] | null;
        };
        QueueHistory: {
            /**
             * Format: date-time
             * @description The moment of the answer, by the clock of the database.
             */
            at: string;
            /** @description false: there are more marks in this time than are shown; ask for a shorter one. */
            isWhole: boolean;
            /** @description The latest first, 2000 at most. */
            marks: components["schemas"]["HistoryMark"][];
            partition: string;
            queue: string;
            /** @description Each quota from its time on, the oldest first; null: no limit. */
            quotas: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
                delaySeconds: number;
                max: components["schemas"]["Amounts"] | null;
            }[];
            /**
             * Format: date-time
             * @description Everything below is as of this time or later.
             */
            since: string;
            /** @description The usage at the moments at which the log states it: of each plan, after evictions, and where a queue was found above its quota; at last that of now. The oldest first. */
            usage: {
                amounts: components["schemas"]["Amounts"];
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                at: string;
            }[];
        };
        QueuePage: {
            items: components["schemas"]["Queue"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        QueuePreview: {
            clock: components["schemas"]["ClockPreview"];
            current: components["schemas"]["QuotaValues"];
            /** @description When its delay is over; null while a stop holds the clock. */
            dueAt?: string | null;
            /** @description Victims of the plan that a stop of their queue spares. */
            held?: string[];
            /** @description Its place among the runs, in the order in which they start. */
            order?: number;
            /** @description The plan at its start, if the work stayed as it is now. */
            plan?: components["schemas"]["Plan"];
            /** @description Why there is no plan: the run would fail with this. */
            planFault?: string;
            previous: components["schemas"]["QuotaValues"];
            queue: string;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            waitsFor?: components["schemas"]["Wait"][];
        };
        QueueRound: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            notices: components["schemas"]["RecordedNotice"][];
            policy: string;
            /** @description Why fair-share acts there; empty for other policies. */
            reasons: ({
                answered: boolean;
                cause: components["schemas"]["VictimCause"];
                /** @enum {string} */
                kind: "node" | "operation" | "pool";
                missing: components["schemas"]["Amounts"];
                name: string;
                /** @description The pool, or that of the operation. */
                queue?: string;
            } & {
                [key: string]: unknown;
            })[];
            round: number;
            /** @description Shares of the queue itself and of the planned queues below it. */
            shares: {
                claimed: components["schemas"]["Amounts"];
                queue: string;
                releasable: components["schemas"]["Amounts"];
                target: components["schemas"]["Amounts"];
            }[];
        };
        QueueRun: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            enforcement: string;
            /** @description The victims that were evicted. */
            evicted: number;
            outcome: string | null;
            planOutcome: string | null;
            policy: string;
            /** @description The queue whose quota it enforces; `root` for rounds. */
            queue: string;
            round: number | null;
            state: string;
            /** @description Its victims in the queue and below it. */
            victims: number;
        };
        QueueRunPreview: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            /** @description The delay of the queue in force; 0: its quota is not enforced, and no run of it can be requested. */
            delaySeconds?: number;
            /** @description The run of its pending clock; null: no clock runs. */
            enforcement: string | null;
            /** @description The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition. */
            nodeLabels?: string[];
            partition: string;
            queue: string;
            /** @description The switch of the configuration in force. */
            quotaPreemptionEnabled: boolean;
            rejected?: components["schemas"]["RejectedChange"];
            run: components["schemas"]["RunPreview"] | null;
            /** @description The run in progress; there is no preview beside it. */
            running: string | null;
        };
        QueueWork: {
            allocations: number;
            queue: string;
            usage: components["schemas"]["Amounts"];
        };
        QueueWorkList: {
            items: components["schemas"]["QueueWork"][];
        };
        QuotaValues: {
            delayMs: number;
            max: {
                [key: string]: number;
            } | null;
            maxShare?: string;
        };
        Ready: {
            /** @constant */
            status: "ok";
            /** @description Consumers of this process that wait for one of a newer release. */
            waits?: string[];
        };
        RecordedNotice: {
            about?: components["schemas"]["Subject"];
            code: string;
            message: string;
        };
        RecordedPlan: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            computedAt: string;
            enforcement: string;
            /** @description The limit that the run was planned with. */
            limit: components["schemas"]["Limit"];
            plan: components["schemas"]["Plan"];
            planDigest: string;
            settings: {
                [key: string]: unknown;
            };
            snapshotDigest: string;
            trigger: {
                [key: string]: unknown;
            };
        };
        /** @description An operator rejected the configuration: the run will be rejected, and evict nothing. */
        RejectedChange: {
            by: string;
            /** @description Version of the configuration. */
            configuration: number;
        };
        Replay: {
            by: string;
            done: number;
            endedAt: string | null;
            host: string;
            /** @enum {string} */
            into: "projections" | "digest" | "shadow" | "kafka" | "archive";
            message: string | null;
            of: number;
            replay: string;
            request: components["schemas"]["ReplayRequest"];
            result: unknown;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            startedAt: string;
            /**
             * @description `interrupted`: its process ended before it was done; the same request resumes it.
             * @enum {string}
             */
            state: "running" | "stopped" | "interrupted" | "failed" | "done";
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updatedAt: string;
        };
        ReplayDone: {
            /** @description The id that GET /v1/replays lists it by; absent with `dryRun`, which keeps none. */
            replay?: string;
            result: components["schemas"]["ProjectionsReplay"] | components["schemas"]["DigestReplay"] | components["schemas"]["ShadowReplay"];
        };
        /** @description One line of JSON: progress on the way, then the result or an error. */
        ReplayLine: components["schemas"]["ProgressLine"] | components["schemas"]["ReplayResultLine"] | components["schemas"]["ErrorLine"];
        ReplayPage: {
            items: components["schemas"]["Replay"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ReplayRequest: {
            /** @description Replays only archived months that end at this time or before. */
            before?: string;
            /** @description Folder of the archive, below the folder in the settings. */
            folder?: string;
            from?: string;
            /** @description Settings that replace the recorded ones in a shadow replay; each plan takes those that its policy has. */
            settings?: {
                [key: string]: unknown;
            };
            to?: string;
            /** @description Topic of a republication. */
            topic?: string;
        };
        ReplayResultLine: {
            result: components["schemas"]["ProjectionsReplay"] | components["schemas"]["DigestReplay"] | components["schemas"]["ShadowReplay"];
        };
        ReplayStopping: {
            replay: string;
            stopping: boolean;
            /**
             * @description `interrupted`: its process ended before it was done; the same request resumes it.
             * @enum {string}
             */
            was: "running" | "stopped" | "interrupted" | "failed" | "done";
        };
        Report: {
            /** @enum {string} */
            by: "queue" | "user" | "cause" | "rule";
            /** @description The most victims first. */
            items: components["schemas"]["ReportRow"][];
            /** @description Groups that are not listed. */
            more: number;
            /** @description null: all partitions */
            partition: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            since: string;
            total: {
                /** @description Work lost, in base units times hours: amounts times the time since the start or the last checkpoint. */
                lost: {
                    [key: string]: number;
                };
                /** @description Runs that evicted them. */
                runs: number;
                /** @description Evicted allocations whose lost work is not known; `lost` leaves them out. */
                unknown: number;
                /** @description Evicted allocations. */
                victims: number;
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            until: string;
        };
        ReportRow: {
            /** @description Work lost, in base units times hours: amounts times the time since the start or the last checkpoint. */
            lost: {
                [key: string]: number;
            };
            /** @description The queue, user, policy or rule; empty where it is not known. */
            name: string;
            /** @description Runs that evicted them. */
            runs: number;
            /** @description Evicted allocations whose lost work is not known; `lost` leaves them out. */
            unknown: number;
            /** @description Evicted allocations. */
            victims: number;
        };
        Republication: {
            /** @description Messages that were sent, or with `dryRun` would be. */
            events: number;
            topic: string;
        };
        RepublicationDone: {
            /** @description The id that GET /v1/replays lists it by; absent with `dryRun`, which keeps none. */
            replay?: string;
            result: components["schemas"]["Republication"];
        };
        /** @description One line of JSON: progress on the way, then the result or an error. */
        RepublicationLine: components["schemas"]["ProgressLine"] | components["schemas"]["RepublicationResultLine"] | components["schemas"]["ErrorLine"];
        RepublicationResultLine: {
            result: components["schemas"]["Republication"];
        };
        RoundPlan: {
            claimed: components["schemas"]["Amounts"];
            notices: components["schemas"]["PlanNotice"][];
            /** @constant */
            observeOnly?: true;
            outcome: components["schemas"]["PlanOutcome"];
            /** @description Why fair-share acts, at most a thousand reasons; absent for other policies. */
            reasons?: ({
                answered: boolean;
                cause: components["schemas"]["VictimCause"];
                /** @enum {string} */
                kind: "node" | "operation" | "pool";
                missing: components["schemas"]["Amounts"];
                name: string;
                /** @description The pool, or that of the operation. */
                queue?: string;
            } & {
                [key: string]: unknown;
            })[];
            shares: {
                claimed: components["schemas"]["Amounts"];
                queue: string;
                releasable: components["schemas"]["Amounts"];
                target: components["schemas"]["Amounts"];
            }[];
            shortfall: components["schemas"]["Amounts"];
            /** @description Number of pending requests that fair-share lets start; absent for other policies. */
            starts?: number;
            target: components["schemas"]["Amounts"];
            victims: number;
        };
        RoundPreview: {
            /** @description Victims that the configuration in force would not have chosen. */
            more: string[];
            plan?: components["schemas"]["Plan"];
            /** @description Why there is no plan: the round would fail with this. */
            planFault?: string;
            policy: string;
        };
        Rounds: {
            enforcement: string;
            /** @description Work that fair-share does not choose for a while after a refusal by an operator or the cluster; a hundred at most. */
            exempt: {
                /** @enum {string} */
                kind: "application" | "allocation";
                name: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                until: string;
            }[];
            /** @description Why the last one could not be planned. */
            failure: components["schemas"]["PlanNotice"] | null;
            /** @description null when the configuration requests no further rounds. */
            nextDueAt: string | null;
            /** @description Allocations whose owners were notified, and which a later round may evict. */
            notified: number;
            partition: string;
            plan: components["schemas"]["RoundPlan"] | null;
            plannedAt: string | null;
            /** @description The last one that could be planned, whether it is in the log or not. */
            plannedRound: number | null;
            policy: string;
            /** @description Number of the last round that began. */
            round: number;
            seconds: number | null;
            /** @description Rounds that were skipped because another one was in progress. */
            skipped: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            startedAt: string;
            /** @description `wanted`, `planning`, `executing`, or `over`. */
            state: string;
        };
        RoundsPage: {
            items: components["schemas"]["Rounds"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        RunPreview: {
            /** @description When its delay is over; null while a stop holds the clock. */
            dueAt: string | null;
            /** @description Victims of the plan that a stop of their queue spares. */
            held: string[];
            /** @description Its place among the runs, in the order in which they start. */
            order: number;
            /** @description The plan at its start, if the work stayed as it is now. */
            plan?: components["schemas"]["Plan"];
            /** @description Why there is no plan: the run would fail with this. */
            planFault?: string;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            waitsFor: components["schemas"]["Wait"][];
        };
        RunRequested: {
            /** @description The usage above the quota. */
            above: components["schemas"]["Amounts"];
            atOnce: boolean;
            partition: string;
            queue: string;
            rejected?: components["schemas"]["RejectedChange"];
        };
        RunStep: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            /** @description The name of the event; null for events of victims. */
            event: string | null;
            /** @description The position of its first event in the log. */
            position: string;
            /** @description The event in words; null for events of victims. */
            sentence: string | null;
            /**
             * Format: date-time
             * @description When its last event was recorded; `at` for a single event.
             */
            until: string;
            /** @description The number of events of victims by name, of `VictimForeseen` the number of victims that its last events foresee; empty for other events. */
            victims: {
                count: number;
                event: string;
            }[];
        };
        RunTimeline: {
            /** @description Earlier steps that are left out. */
            earlier: number;
            /** @description Oldest first. */
            steps: components["schemas"]["RunStep"][];
        };
        RunningRun: {
            enforcement: string;
            evicted: number;
            /** @description It has ordered an eviction, and continues with the quota that it began with until it is cancelled. Otherwise the quota in force decides what it evicts, and it ends if the enforcement of quotas is switched off. */
            evicting: boolean;
            queue: string;
        };
        Setting: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at?: string;
            /** @description The user who set it. */
            by?: string;
            /**
             * @description default: the built-in value. environment: a value set for the installation. configuration: the property `curtail.miss` (and so on) of `queue`. override: set through this API for `queue`.
             * @enum {string}
             */
            from: "default" | "environment" | "configuration" | "override";
            /** @description Where it is set: the queue itself, or one above. */
            queue?: string;
            reason?: string;
            setting: components["schemas"]["SettingName"];
            /** @description The value as it was set: a number, a string, a list, or the protected work. */
            value: unknown;
        };
        /** @description null: the setting of the configuration applies again. */
        SettingChanges: {
            ageFrom?: ("start" | "checkpoint") | null;
            approveAbovePercent?: number | null;
            approveAboveVictims?: number | null;
            ceilingClusterPercent?: number | null;
            ceilingPerConfiguration?: number | null;
            ceilingPerHour?: number | null;
            disruptionBudgets?: ("respect" | "last" | "ignore") | null;
            extensionSeconds?: number | null;
            extensions?: number | null;
            fit?: ("cover" | "within") | null;
            flapping?: components["schemas"]["Flapping"] | null;
            foresight?: ("on" | "off") | null;
            gangs?: ("whole" | "spare" | "ignore") | null;
            graceSeconds?: number | null;
            guaranteedTypes?: ("all" | "lowered") | null;
            miss?: number | null;
            ownerBudgets?: components["schemas"]["OwnerBudgets"] | null;
            partitionVictimsPerSecond?: number | null;
            protect?: components["schemas"]["Protection"] | null;
            victimsPerSecond?: number | null;
        };
        /**
         * @description The name of the setting.
         * @enum {string}
         */
        SettingName: "miss" | "fit" | "guaranteedTypes" | "ageFrom" | "disruptionBudgets" | "ownerBudgets" | "gangs" | "protect" | "approveAboveVictims" | "approveAbovePercent" | "victimsPerSecond" | "graceSeconds" | "flapping" | "ceilingPerHour" | "ceilingPerConfiguration" | "ceilingClusterPercent" | "partitionVictimsPerSecond" | "extensions" | "extensionSeconds" | "foresight";
        SettingOverride: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            /** @description The user who set it. */
            by: string;
            /** @description Whether the configuration in force has the queue; if not, the override has no effect. */
            configured: boolean;
            queue: string;
            reason?: string;
            setting: components["schemas"]["SettingName"];
            /** @description The value as it was set: a number, a string, a list, or the protected work. */
            value: unknown;
        };
        Settings: {
            /** @description All overrides of the partition, by queue and setting. */
            overrides: components["schemas"]["SettingOverride"][];
            partition: string;
            /** @description `root`: the partition. */
            queue: string;
            /** @description Every setting in force for the queue. `protect` has an entry for each queue that protects work; they add up. */
            settings: components["schemas"]["Setting"][];
            /** @description Version of the overrides of the partition, which is also the ETag; 0 if there were none yet. */
            version: number;
        };
        ShadowReplay: {
            added: number;
            /** @description Runs for which the settings make a difference. */
            differ: number;
            /** @description The first thousand of them. */
            different: {
                /** @description Allocations that only the shadow chose. */
                added: number;
                /** @description The first of them. */
                addedFirst: string[];
                because?: string;
                enforcement: string;
                /** @description Amounts that the victims of the shadow hold, minus those of the recorded plan. Types without a difference are left out. */
                freedDifference: {
                    [key: string]: number;
                };
                /** @description The recorded outcome. */
                outcome: string;
                queue: string;
                /** @description Allocations that only the recorded plan chose. */
                removed: number;
                /** @description The first of them. */
                removedFirst: string[];
                /** @description Outcome with the other settings; null if there is no plan, and `because` states why. */
                shadowOutcome: string | null;
                shadowVictims: number;
                victims: number;
            }[];
            /** @description Runs of a policy that has none of the settings, counted among `same`; absent for none. */
            notConcerned?: number;
            /** @description Plans whose input is no longer kept, with the first of their runs. */
            notKept: {
                count: number;
                first: string[];
            };
            plans: number;
            /** @description All victims of the plans that could be computed again, and the amounts that they hold, as recorded. */
            recorded: {
                freed: components["schemas"]["Amounts"];
                victims: number;
            };
            removed: number;
            same: number;
            settings: {
                [key: string]: unknown;
            };
            /** @description The victims that the plans choose with the other settings, and the amounts that they hold. */
            shadow: {
                freed: components["schemas"]["Amounts"];
                victims: number;
            };
        };
        /** @description Shares of the cluster, such as `25 %`. null: no share; with `depends` amounts. */
        ShareChange: {
            /**
             * @description `depends`: a share of the cluster on one side and amounts on the other; the size of the cluster decides.
             * @enum {string}
             */
            change: "raise" | "lower" | "depends";
            from: string | null;
            /** @enum {string} */
            of: "max" | "guaranteed";
            to: string | null;
        };
        SparedGroup: {
            count: number;
            /** @description The first of them. */
            first: string[];
            reason: components["schemas"]["SparedReason"];
        };
        /** @enum {string} */
        SparedReason: "aggressive-not-allowed" | "aggressive-only" | "below-threshold" | "conservative-drf" | "cooling" | "daemon" | "disruption-budget" | "enforcing" | "eviction-failed" | "enforcement-running" | "gang" | "given-back" | "graceful-operation" | "guaranteed-floor" | "no-give" | "non-preemptible" | "normal-not-allowed" | "not-needed" | "not-running" | "nothing-pending" | "one-application" | "originator" | "other-types" | "own-operation" | "owner-budget" | "past-target" | "protected" | "queue-disabled" | "queue-limit" | "round-ceiling" | "starving-operation" | "too-young" | "unfit" | "user-limit";
        Status: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            /** @description Problems that need attention; empty if there are none. */
            attention: components["schemas"]["Attention"][];
            /** @description Consumers of the process that answers, those that are behind first; none while Kafka, which knows it, does not answer. */
            consumers: {
                /** @description The age of the first of them. */
                ageSeconds: number;
                /** @description Events of the log that it has not handled yet. */
                lag: number;
                name: string;
            }[];
            deadLetters: number;
            /** @description Servers that do not answer, or refuse work. */
            down?: {
                code: string;
                /** @description As in `/readyz`: `database`, `kafka`, `redis`. */
                name: string;
                reason: string;
            }[];
            /** @description true: the database did not answer, and everything else but `down` is not known. */
            incomplete?: boolean;
            partitions: components["schemas"]["PartitionSituation"][];
            /** @description Reports of schedulers on Kafka that are not applied yet. */
            unread: number;
            /** @description null: no webhook is configured. */
            webhook: components["schemas"]["WebhookStatus"] | null;
        };
        Stop: {
            by: string;
            partition: string;
            /** @description null: the whole partition */
            queue: string | null;
            reason: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            since: string;
        };
        StopCleared: {
            /** @description Stops that were cleared. */
            cleared: number;
            partition: string;
            /** @description null: the whole partition */
            queue: string | null;
        };
        StopList: {
            items: components["schemas"]["Stop"][];
        };
        StopSet: {
            /** @description Whether the configuration in force has the queue. The command has taken effect either way. */
            configured: boolean;
            partition: string;
            /** @description null: the whole partition */
            queue: string | null;
            /** @constant */
            stopped: true;
        };
        /** @description The subject of a notice or a reason. */
        Subject: {
            kind: string;
            name: string;
            queue?: string;
        };
        Timer: {
            /**
             * Format: date-time
             * @description When the delay is over.
             */
            dueAt: string;
            enforcement: string | null;
            /** @description null: owners are not notified of its run, or it has not been planned yet. */
            foresight: components["schemas"]["ClockForesight"] | null;
            /** @description The end of the freeze that holds its run, now or when it falls due. */
            frozenUntil?: string | null;
            generation: number;
            kind: string;
            partition: string;
            queue: string;
            /** @description When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no end (`waiting` says what), or no run is to start. */
            startsAt?: string | null;
            /** @enum {string} */
            state: "pending" | "suspended" | "waiting";
            /** @description `due`: the delay runs. `frozen`, `flapping`, `ancestor-first`: what makes it start later. `suspended`, `cluster-unknown`, `ancestor-running`, `size-unknown`, `overdue`: what keeps a due clock from starting. */
            waiting: components["schemas"]["Waiting"];
        };
        TimerPage: {
            items: components["schemas"]["Timer"][];
            /** @description Pass it as `after` to read the next page. Absent on the last page. */
            next?: string;
        };
        ValueChange: {
            from?: unknown;
            name: string;
            to?: unknown;
        };
        Victim: {
            /** @description The subject of code and message. */
            about: components["schemas"]["Subject"] | null;
            allocation: string;
            application: string;
            code: string | null;
            /** @description The facts of that rule, by name; each policy has its own. null: it has none. */
            facts?: components["schemas"]["Facts"] | null;
            message: string | null;
            /** @description The user of its application. null: not known. */
            owner?: string | null;
            queue: string;
            /** @description The order of eviction. */
            rank: number;
            reason: string;
            resources: components["schemas"]["Amounts"];
            /** @description The code of the rule that decided: the one that put it before the next victim, by which its application gives way, or its `cause`. null: its policy has none. */
            rule?: string | null;
            state: string;
            uid: string | null;
        };
        /** @enum {string} */
        VictimCause: "starvation" | "aggressive-starvation" | "resource-limits" | "overcommit";
        VictimGroup: {
            /** @description Work lost, in base units times hours: amounts times the time since the start or the last checkpoint. */
            lost: {
                [key: string]: number;
            };
            /** @description The queue, user or application; empty where an application has no user. */
            name: string;
            resources: components["schemas"]["Amounts"];
            victims: number;
        };
        VictimSummary: {
            /** @description By application. */
            applications: {
                /** @description The number of groups. */
                count: number;
                /** @description Those with the most victims, the largest first: ten, or as many as `groups` asks for. */
                first: {
                    /** @description Of a rule: its code, by which its victims can be listed. */
                    code?: string;
                    name: string;
                    /** @description What these victims hold. */
                    resources?: components["schemas"]["Amounts"];
                    victims: number;
                }[];
            };
            /** @description By the user of the application; victims without a known one are in none. */
            owners: {
                /** @description The number of groups. */
                count: number;
                /** @description Those with the most victims, the largest first: ten, or as many as `groups` asks for. */
                first: {
                    /** @description Of a rule: its code, by which its victims can be listed. */
                    code?: string;
                    name: string;
                    /** @description What these victims hold. */
                    resources?: components["schemas"]["Amounts"];
                    victims: number;
                }[];
            };
            /** @description By queue. */
            queues: {
                /** @description The number of groups. */
                count: number;
                /** @description Those with the most victims, the largest first: ten, or as many as `groups` asks for. */
                first: {
                    /** @description Of a rule: its code, by which its victims can be listed. */
                    code?: string;
                    name: string;
                    /** @description What these victims hold. */
                    resources?: components["schemas"]["Amounts"];
                    victims: number;
                }[];
            };
            /** @description By the rule that decided, in words; victims without a recorded rule are in none. */
            rules: {
                /** @description The number of groups. */
                count: number;
                /** @description Those with the most victims, the largest first: ten, or as many as `groups` asks for. */
                first: {
                    /** @description Of a rule: its code, by which its victims can be listed. */
                    code?: string;
                    name: string;
                    /** @description What these victims hold. */
                    resources?: components["schemas"]["Amounts"];
                    victims: number;
                }[];
            };
            /** @description By the state of a victim. */
            states: {
                /** @description The number of groups. */
                count: number;
                /** @description Those with the most victims, the largest first: ten, or as many as `groups` asks for. */
                first: {
                    /** @description Of a rule: its code, by which its victims can be listed. */
                    code?: string;
                    name: string;
                    /** @description What these victims hold. */
                    resources?: components["schemas"]["Amounts"];
                    victims: number;
                }[];
            };
        };
        Wait: {
            because: string;
            /**
             * @description `switch`, `mode`: the switch or the mode of the partition. `ancestor`: the run of the queue above has to end first.
             * @enum {string}
             */
            for: "switch" | "stop" | "freeze" | "flapping" | "ancestor" | "mode" | "approval";
            /** @description The queue of the stop or the freeze, absent where it covers the partition; or the queue of that run. */
            queue?: string;
        };
        /** @description The reason for a wait, and its subject. */
        Waiting: {
            about: components["schemas"]["Subject"];
            code: string;
            /** @description One sentence for people. */
            message: string;
        };
        WebhookResent: {
            /** @description Number of messages that are sent again. */
            messages: number;
        };
        WebhookStatus: {
            /** @description Messages that were given up since the last delivery. */
            dead: number;
            /** @description Pending messages of which several attempts have failed. */
            failing: number;
            lastDeliveredAt: string | null;
            /** @description Error of the last failed attempt to deliver one of these messages. */
            lastError: string | null;
            /** @description Messages that are not delivered yet. */
            pending: number;
        };
        WebhookTested: {
            /** @description Id of the message, in its header `webhook-id`. */
            id: string;
        };
        WhatIf: {
            alternatives: components["schemas"]["AlternativeOutcome"][];
            /**
             * Format: date-time
             * @description The moment of the comparison, by the clock of the database.
             */
            at: string;
            /** @description `observe`: runs are planned, and nothing is evicted. */
            mode: components["schemas"]["ModeName"];
            partition: string;
        };
        Whoami: {
            /** @description The owner of the credential; null: none is needed. */
            actor: {
                address?: string;
                claimed?: string;
                groups?: string[];
                issuer: string;
                subject: string;
            } | null;
            grants: {
                /** @description null: all. */
                partition: string | null;
                /** @description With all below it; null: all. */
                queue: string | null;
                /** @description docs/reference/rights.md */
                rights: string[];
            }[];
        };
        WorkCounts: {
            allocations: number;
            applications: number;
            /** @description Allocations that are releasing or preempting. */
            leaving: number;
            nodes: number;
            /** @description Queues with applications. */
            queues: number;
        };
    };
    responses: {
        /** @description The request is wrong: `errors` names the fields. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The current state does not allow it; `remedy` names the next step. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        ContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Curtail failed; its log has details under `requestId`. */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token, or the host or origin of the request, does not permit this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There are too many headers, or too large ones. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something that the request names is not known. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource has changed; `detail` states its current state. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request did not arrive completely in time. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests: wait for the time in `Retry-After`. */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database took too long; the request had no effect. */
        TookTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token is missing or unknown. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something that Curtail needs is unavailable: retry after `Retry-After`. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The content is refused: `errors` names the fields. */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The content type of the body is not supported. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Access = components['schemas']['Access'];
export type Alive = components['schemas']['Alive'];
export type Allocation = components['schemas']['Allocation'];
export type AllocationExplanation = components['schemas']['AllocationExplanation'];
export type AllocationPage = components['schemas']['AllocationPage'];
export type AlternativeOutcome = components['schemas']['AlternativeOutcome'];
export type AmountChange = components['schemas']['AmountChange'];
export type Amounts = components['schemas']['Amounts'];
export type Application = components['schemas']['Application'];
export type ApplicationPage = components['schemas']['ApplicationPage'];
export type ApplicationWork = components['schemas']['ApplicationWork'];
export type ApplicationWorkList = components['schemas']['ApplicationWorkList'];
export type Applied = components['schemas']['Applied'];
export type ApprovedRun = components['schemas']['ApprovedRun'];
export type ArchivablePartition = components['schemas']['ArchivablePartition'];
export type ArchivablePartitions = components['schemas']['ArchivablePartitions'];
export type ArchiveDone = components['schemas']['ArchiveDone'];
export type ArchiveLine = components['schemas']['ArchiveLine'];
export type ArchiveResult = components['schemas']['ArchiveResult'];
export type ArchiveResultLine = components['schemas']['ArchiveResultLine'];
export type ArchivedPartition = components['schemas']['ArchivedPartition'];
export type Attention = components['schemas']['Attention'];
export type AuditPage = components['schemas']['AuditPage'];
export type AuditedPage = components['schemas']['AuditedPage'];
export type CancelledRun = components['schemas']['CancelledRun'];
export type ChangeDecided = components['schemas']['ChangeDecided'];
export type ChangeEffect = components['schemas']['ChangeEffect'];
export type ChangeEvent = components['schemas']['ChangeEvent'];
export type ChangedGuaranteed = components['schemas']['ChangedGuaranteed'];
export type ChangedQueue = components['schemas']['ChangedQueue'];
export type ClearedWork = components['schemas']['ClearedWork'];
export type ClockEffect = components['schemas']['ClockEffect'];
export type ClockForesight = components['schemas']['ClockForesight'];
export type ClockPreview = components['schemas']['ClockPreview'];
export type CommandedRun = components['schemas']['CommandedRun'];
export type ConfigurationChanges = components['schemas']['ConfigurationChanges'];
export type ConfigurationError = components['schemas']['ConfigurationError'];
export type ConfigurationInForce = components['schemas']['ConfigurationInForce'];
export type ConfigurationVersion = components['schemas']['ConfigurationVersion'];
export type ConfigurationVersionDetail = components['schemas']['ConfigurationVersionDetail'];
export type ConfigurationVersionPage = components['schemas']['ConfigurationVersionPage'];
export type ConfigurationWarning = components['schemas']['ConfigurationWarning'];
export type DeadLetter = components['schemas']['DeadLetter'];
export type DeadLetterDetail = components['schemas']['DeadLetterDetail'];
export type DeadLetterPage = components['schemas']['DeadLetterPage'];
export type DeadLettersDone = components['schemas']['DeadLettersDone'];
export type DigestReplay = components['schemas']['DigestReplay'];
export type Element = components['schemas']['Element'];
export type ElementPage = components['schemas']['ElementPage'];
export type ElementStatus = components['schemas']['ElementStatus'];
export type Enforcement = components['schemas']['Enforcement'];
export type EnforcementDetail = components['schemas']['EnforcementDetail'];
export type EnforcementExplanation = components['schemas']['EnforcementExplanation'];
export type EnforcementPage = components['schemas']['EnforcementPage'];
export type ErrorLine = components['schemas']['ErrorLine'];
export type Event = components['schemas']['Event'];
export type EventInContext = components['schemas']['EventInContext'];
export type EventPage = components['schemas']['EventPage'];
export type ExplanationLink = components['schemas']['ExplanationLink'];
export type Facts = components['schemas']['Facts'];
export type Feed = components['schemas']['Feed'];
export type FeedPage = components['schemas']['FeedPage'];
export type Flapping = components['schemas']['Flapping'];
export type Foreseen = components['schemas']['Foreseen'];
export type ForeseenPage = components['schemas']['ForeseenPage'];
export type ForeseenRun = components['schemas']['ForeseenRun'];
export type FoundVictim = components['schemas']['FoundVictim'];
export type FoundVictims = components['schemas']['FoundVictims'];
export type Freeze = components['schemas']['Freeze'];
export type FreezeList = components['schemas']['FreezeList'];
export type FreezeSet = components['schemas']['FreezeSet'];
export type FreezesCleared = components['schemas']['FreezesCleared'];
export type HeldListing = components['schemas']['HeldListing'];
export type HistoryMark = components['schemas']['HistoryMark'];
export type InventoryAccepted = components['schemas']['InventoryAccepted'];
export type InventoryNotice = components['schemas']['InventoryNotice'];
export type InventoryReset = components['schemas']['InventoryReset'];
export type InventoryStatus = components['schemas']['InventoryStatus'];
export type Limit = components['schemas']['Limit'];
export type LineError = components['schemas']['LineError'];
export type LinkedExplanation = components['schemas']['LinkedExplanation'];
export type LinksRevoked = components['schemas']['LinksRevoked'];
export type LoadDone = components['schemas']['LoadDone'];
export type LoadLine = components['schemas']['LoadLine'];
export type LoadResultLine = components['schemas']['LoadResultLine'];
export type LoadedWork = components['schemas']['LoadedWork'];
export type LogBlock = components['schemas']['LogBlock'];
export type LogFault = components['schemas']['LogFault'];
export type LogPartition = components['schemas']['LogPartition'];
export type LogPartitionList = components['schemas']['LogPartitionList'];
export type LogVerification = components['schemas']['LogVerification'];
export type Login = components['schemas']['Login'];
export type Mode = components['schemas']['Mode'];
export type ModeName = components['schemas']['ModeName'];
export type ModeSet = components['schemas']['ModeSet'];
export type NameList = components['schemas']['NameList'];
export type Notice = components['schemas']['Notice'];
export type NoticePage = components['schemas']['NoticePage'];
export type OwnerAnswer = components['schemas']['OwnerAnswer'];
export type OwnerBudgets = components['schemas']['OwnerBudgets'];
export type Partition = components['schemas']['Partition'];
export type PartitionInventory = components['schemas']['PartitionInventory'];
export type PartitionPage = components['schemas']['PartitionPage'];
export type PartitionSituation = components['schemas']['PartitionSituation'];
export type PendingPreview = components['schemas']['PendingPreview'];
export type PlacedScenario = components['schemas']['PlacedScenario'];
export type Plan = components['schemas']['Plan'];
export type PlanCounts = components['schemas']['PlanCounts'];
export type PlanNotice = components['schemas']['PlanNotice'];
export type PlanOutcome = components['schemas']['PlanOutcome'];
export type PlanShare = components['schemas']['PlanShare'];
export type PlanSubject = components['schemas']['PlanSubject'];
export type PlanSummary = components['schemas']['PlanSummary'];
export type PlanSummaryPage = components['schemas']['PlanSummaryPage'];
export type PlannedVictim = components['schemas']['PlannedVictim'];
export type PolicyChange = components['schemas']['PolicyChange'];
export type Preview = components['schemas']['Preview'];
export type Problem = components['schemas']['Problem'];
export type ProgressLine = components['schemas']['ProgressLine'];
export type ProjectionsReplay = components['schemas']['ProjectionsReplay'];
export type Protection = components['schemas']['Protection'];
export type PublicKeys = components['schemas']['PublicKeys'];
export type Queue = components['schemas']['Queue'];
export type QueueAboveQuota = components['schemas']['QueueAboveQuota'];
export type QueueConfiguration = components['schemas']['QueueConfiguration'];
export type QueueDifference = components['schemas']['QueueDifference'];
export type QueueExplanation = components['schemas']['QueueExplanation'];
export type QueueHistory = components['schemas']['QueueHistory'];
export type QueuePage = components['schemas']['QueuePage'];
export type QueuePreview = components['schemas']['QueuePreview'];
export type QueueRound = components['schemas']['QueueRound'];
export type QueueRun = components['schemas']['QueueRun'];
export type QueueRunPreview = components['schemas']['QueueRunPreview'];
export type QueueWork = components['schemas']['QueueWork'];
export type QueueWorkList = components['schemas']['QueueWorkList'];
export type QuotaValues = components['schemas']['QuotaValues'];
export type Ready = components['schemas']['Ready'];
export type RecordedNotice = components['schemas']['RecordedNotice'];
export type RecordedPlan = components['schemas']['RecordedPlan'];
export type RejectedChange = components['schemas']['RejectedChange'];
export type Replay = components['schemas']['Replay'];
export type ReplayDone = components['schemas']['ReplayDone'];
export type ReplayLine = components['schemas']['ReplayLine'];
export type ReplayPage = components['schemas']['ReplayPage'];
export type ReplayRequest = components['schemas']['ReplayRequest'];
export type ReplayResultLine = components['schemas']['ReplayResultLine'];
export type ReplayStopping = components['schemas']['ReplayStopping'];
export type Report = components['schemas']['Report'];
export type ReportRow = components['schemas']['ReportRow'];
export type Republication = components['schemas']['Republication'];
export type RepublicationDone = components['schemas']['RepublicationDone'];
export type RepublicationLine = components['schemas']['RepublicationLine'];
export type RepublicationResultLine = components['schemas']['RepublicationResultLine'];
export type RoundPlan = components['schemas']['RoundPlan'];
export type RoundPreview = components['schemas']['RoundPreview'];
export type Rounds = components['schemas']['Rounds'];
export type RoundsPage = components['schemas']['RoundsPage'];
export type RunPreview = components['schemas']['RunPreview'];
export type RunRequested = components['schemas']['RunRequested'];
export type RunStep = components['schemas']['RunStep'];
export type RunTimeline = components['schemas']['RunTimeline'];
export type RunningRun = components['schemas']['RunningRun'];
export type Setting = components['schemas']['Setting'];
export type SettingChanges = components['schemas']['SettingChanges'];
export type SettingName = components['schemas']['SettingName'];
export type SettingOverride = components['schemas']['SettingOverride'];
export type Settings = components['schemas']['Settings'];
export type ShadowReplay = components['schemas']['ShadowReplay'];
export type ShareChange = components['schemas']['ShareChange'];
export type SparedGroup = components['schemas']['SparedGroup'];
export type SparedReason = components['schemas']['SparedReason'];
export type Status = components['schemas']['Status'];
export type Stop = components['schemas']['Stop'];
export type StopCleared = components['schemas']['StopCleared'];
export type StopList = components['schemas']['StopList'];
export type StopSet = components['schemas']['StopSet'];
export type Subject = components['schemas']['Subject'];
export type Timer = components['schemas']['Timer'];
export type TimerPage = components['schemas']['TimerPage'];
export type ValueChange = components['schemas']['ValueChange'];
export type Victim = components['schemas']['Victim'];
export type VictimCause = components['schemas']['VictimCause'];
export type VictimGroup = components['schemas']['VictimGroup'];
export type VictimSummary = components['schemas']['VictimSummary'];
export type Wait = components['schemas']['Wait'];
export type Waiting = components['schemas']['Waiting'];
export type WebhookResent = components['schemas']['WebhookResent'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type WebhookTested = components['schemas']['WebhookTested'];
export type WhatIf = components['schemas']['WhatIf'];
export type Whoami = components['schemas']['Whoami'];
export type WorkCounts = components['schemas']['WorkCounts'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseContentTooLarge = components['responses']['ContentTooLarge'];
export type ResponseFailed = components['responses']['Failed'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseHeadersTooLarge = components['responses']['HeadersTooLarge'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponsePreconditionFailed = components['responses']['PreconditionFailed'];
export type ResponseRequestTimeout = components['responses']['RequestTimeout'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseTookTooLong = components['responses']['TookTooLong'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseUnprocessable = components['responses']['Unprocessable'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type $defs = Record<string, never>;
export interface operations {
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getAllocations: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getAllocationsById: {
        parameters: {
            query?: {
                partition?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Allocation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getAllocationsExplanation: {
        parameters: {
            query?: {
                partition?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationExplanation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description It needs more memory than a thread may use. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postAllocationsLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description How long the link works.
                     * @default 7
                     */
                    days?: number;
                    /** @default default */
                    partition?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplanationLink"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    deleteAllocationsLink: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Who sends the command. Where a credential is needed, its owner counts instead. */
                by?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinksRevoked"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postAnswers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allocation: string;
                    /** @enum {string} */
                    answer: "ready" | "checkpointed" | "extend";
                    /**
                     * Format: date-time
                     * @description For checkpointed: when the checkpoint was complete. Absent: now.
                     */
                    at?: string;
                    /**
                     * @description Who answers. Counts only where no credential is needed: otherwise it is the owner of the credential.
                     * @default owner
                     */
                    by?: string;
                    /** @description Your own id of the answer: however often it is sent, it counts once. Absent: a new answer. */
                    id?: string;
                    /** @default default */
                    partition?: string;
                    /** @description The incarnation. Absent: the one that runs. */
                    uid?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnerAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getApplications: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getAudit: {
        parameters: {
            query: {
                /** @description At this time or later. */
                since: string;
                /** @description Before this time. */
                until?: string;
                /** @description Absent: all. */
                partition?: string;
                /** @description Only of this subject. */
                by?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getDeadLetters: {
        parameters: {
            query?: {
                /** @description The consumer that could not handle it. */
                consumer?: string;
                /** @description The name of the event, such as QuotaChanged, or its CloudEvents type. */
                type?: string;
                /** @description Put aside at this time or later. */
                since?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postDeadLettersDiscard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description All that match; required without an event.
                     * @constant
                     */
                    all?: true;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @description The consumer that could not handle it. */
                    consumer?: string;
                    /**
                     * Format: uuid
                     * @description Only this one.
                     */
                    event?: string;
                    /** @description The reason, recorded in the log. */
                    reason: string;
                    /**
                     * Format: date-time
                     * @description Put aside at this time or later.
                     */
                    since?: string;
                    /** @description The name of the event, such as QuotaChanged, or its CloudEvents type. */
                    type?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLettersDone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postDeadLettersRetry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description All that match; required without an event.
                     * @constant
                     */
                    all?: true;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @description The consumer that could not handle it. */
                    consumer?: string;
                    /**
                     * Format: uuid
                     * @description Only this one.
                     */
                    event?: string;
                    /**
                     * Format: date-time
                     * @description Put aside at this time or later.
                     */
                    since?: string;
                    /** @description The name of the event, such as QuotaChanged, or its CloudEvents type. */
                    type?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLettersDone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getDeadLettersByEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                consumer: string;
                event: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEnforcements: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description Only of this policy: quota-decrease, intra-queue, fair-share. */
                policy?: string;
                /** @description At this time or later. */
                since?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only in this state; `waiting` is short for `waiting for approval`, and `executing` includes `approved`: an approved run is carried out at once. */
                state?: "scheduled" | "suspended" | "cancelled" | "planning" | "plan failed" | "planned" | "waiting for approval" | "approved" | "rejected" | "executing" | "ended" | "waiting";
                /** @description `true`: without runs that ended because nothing had to be evicted any more. */
                needed?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnforcementPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEnforcementsByEnforcement: {
        parameters: {
            query?: {
                /** @description victims */
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only victims of this owner; empty: those of which it is not known. */
                owner?: string;
                /** @description Only victims of this application; empty: those of which it is not known. */
                application?: string;
                /** @description Only victims of this queue; empty: those of which it is not known. */
                queue?: string;
                /** @description Only victims of this rule, by its code; empty: those of which it is not known. */
                rule?: string;
            };
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnforcementDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postEnforcementsApprove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovedRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postEnforcementsCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEnforcementsExplanation: {
        parameters: {
            query?: {
                /** @description Absent: everything. */
                limit?: number;
                /** @description How many groups of victims the summary lists of each kind. */
                groups?: number;
            };
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnforcementExplanation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description It needs more memory than a thread may use. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postEnforcementsReject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandedRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEnforcementsTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTimeline"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEvents: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description Only events of this name, such as `VictimEvicted`, or of this CloudEvents type. */
                type?: string;
                /** @description At this time or later. */
                since?: string;
                /** @description Before this time. */
                until?: string;
                /** @description Only of this run and its clock. */
                enforcement?: string;
                /** @description Only what this user commanded or sent. */
                by?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only about the work of this user. */
                user?: string;
                /** @description Only about the work of this application. */
                application?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEventsAtByPosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                position: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventInContext"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getEventsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getExplained: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedExplanation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The token is no link, or nothing is known of its allocation any longer. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The link has expired, or was revoked. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It needs more memory than a thread may use. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getFeeds: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Absent: all. */
                partition?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getForeseen: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description Only of this user. */
                user?: string;
                /** @description Only of this application. */
                application?: string;
                /** @description Only of this run and its clock. */
                enforcement?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForeseenPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getFreezes: {
        parameters: {
            query?: {
                /** @description Absent: all. */
                partition?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreezeList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postFreezes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description true: also a queue or a partition that does not exist yet. Otherwise it is refused.
                     * @default false
                     */
                    allowUnknown?: boolean;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @description The length by ISO 8601, such as PT8H or P2DT12H, in place of until, or of each occurrence of a rule. */
                    duration?: string;
                    /** @description The start, such as 2026-12-24T18:00Z, or a local time of timeZone; with a rule the first start, a local time. Absent: now. */
                    from?: string;
                    /** @default default */
                    partition?: string;
                    /** @description The queue and all below it. Absent: the whole partition. */
                    queue?: string;
                    reason?: string;
                    /** @description A rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=FR. Absent: once. */
                    rule?: string;
                    /** @description The time zone of a rule, and of times without an offset, by its IANA name, such as Europe/Berlin. */
                    timeZone?: string;
                    /** @description The end of a freeze without a rule. */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreezeSet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    deleteFreezes: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Absent: all of the partition. */
                queue?: string;
                /** @description Only this one, by its id. */
                freeze?: string;
                /** @description Who sends the command. Where a credential is needed, its owner counts instead. */
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreezesCleared"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getInventory: {
        parameters: {
            query?: {
                /** @description Absent: all. */
                partition?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description No cluster sends reports: the one of this installation is simulated. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postInventoryAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @default default */
                    partition?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postInventoryReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @default default */
                    partition?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryReset"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicKeys"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getKillSwitch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StopList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postKillSwitch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description true: also a queue or a partition that does not exist yet. Otherwise it is refused.
                     * @default false
                     */
                    allowUnknown?: boolean;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @default default */
                    partition?: string;
                    /** @description Absent: the whole partition. */
                    queue?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StopSet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    deleteKillSwitch: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Absent: all of the partition. */
                queue?: string;
                /** @description Who sends the command. Where a credential is needed, its owner counts instead. */
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StopCleared"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getLive: {
        parameters: {
            query?: {
                partition?: string;
                /** @description The same as the header `Last-Event-ID`, for clients that cannot set it. */
                from?: string;
            };
            header?: {
                /** @description The `id` of the last message received. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postLogArchive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Months that end at this time or before.
                     */
                    before: string;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /**
                     * @description Only check what would be archived.
                     * @default false
                     */
                    dryRun?: boolean;
                    /** @description A folder below that of the setting. */
                    to?: string;
                };
            };
        };
        responses: {
            /** @description One document once the work is done. `Accept: application/x-ndjson` returns a stream of progress instead, with one JSON value in each line; the stream may end with an error. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveDone"];
                    "application/x-ndjson": components["schemas"]["ArchiveLine"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getLogPartitions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPartitionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getLogVerification: {
        parameters: {
            query?: {
                /** @description The `pass` of the page before; absent: from the first block. */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogVerification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getNamesByKind: {
        parameters: {
            query?: {
                /** @description The beginning of the names. */
                prefix?: string;
                /** @description The partition of allocations and queues. */
                partition?: string;
                limit?: number;
            };
            header?: never;
            path: {
                kind: "enforcement" | "allocation" | "replay" | "dead-letter" | "queue" | "partition";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NameList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getNotices: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description At this time or later. */
                since?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getOperations: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ElementPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitions: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartitionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsByPartition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partition"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationInForce"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    putPartitionsConfig: {
        parameters: {
            query?: {
                /** @description `true`: what would change, and the runs in the order in which they would start, each with its victims and what it waits for; nothing is kept */
                dryRun?: boolean;
                /** @description The format. Absent: detected from the configuration. */
                format?: "yunikorn" | "capacity-scheduler" | "ytsaurus";
                /** @description The name of the sender, recorded in the history. */
                by?: string;
                /** @description `true`: keys of queues.yaml that Curtail does not know are warnings, not errors. One that is nearly a known key stays an error */
                allowUnknown?: boolean;
                /** @description Absent: 409 with the queues that hold work, themselves or below, and that the configuration would remove, if there are any; work that is being evicted counts. `false`: 409 with all queues that the configuration would remove. `true`: they may go; with the `version` of the 409 as If-Match it confirms what that listed */
                removeQueues?: boolean;
            };
            header?: {
                /** @description The ETag of the configuration that this one replaces; 412 if another one is in force */
                "if-match"?: string;
                /** @description `*`: only if no configuration is in force */
                "if-none-match"?: string;
            };
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | string;
                "application/x-yt-yson-text": string;
                "application/xml": string;
                "application/yaml": string;
                "text/plain": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"] | components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsConfigurations: {
        parameters: {
            query?: {
                /** @description At this time or later. */
                since?: string;
                /** @description Only what this user commanded or sent. */
                by?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationVersionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsConfigurationsByVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationVersionDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsConfigurationsApprove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeDecided"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsConfigurationsEffect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeEffect"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsConfigurationsReject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeDecided"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsConfigurationsRollback: {
        parameters: {
            query?: {
                /** @description `true`: what would change, as for a configuration; nothing is kept */
                dryRun?: boolean;
                /** @description The name of the sender, recorded in the history. */
                by?: string;
            };
            header?: {
                /** @description The ETag of the configuration that it replaces; 412 if another one is in force */
                "if-match"?: string;
            };
            path: {
                partition: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"] | components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsMode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mode"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    putPartitionsMode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description true: also a partition that does not exist yet. Otherwise it is refused.
                     * @default false
                     */
                    allowUnknown?: boolean;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /** @enum {string} */
                    mode: "observe" | "enforce";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModeSet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsQueuesConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueConfiguration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    putPartitionsQueuesConfig: {
        parameters: {
            query?: {
                /** @description `true`: what would change, as for a configuration; nothing is kept */
                dryRun?: boolean;
                /** @description The name of the sender, recorded in the history. */
                by?: string;
                /** @description `true`: keys of the entry that Curtail does not know are warnings, not errors */
                allowUnknown?: boolean;
                /** @description Absent: 409 with the queues that hold work, themselves or below, and that the entry would remove, if there are any; work that is being evicted counts. `false`: 409 with all queues that the entry would remove. `true`: they may go; with the `version` of the 409 as If-Match it confirms what that listed */
                removeQueues?: boolean;
            };
            header?: {
                /** @description The ETag of the entry that this one replaces, which changes with the entry alone, or a version of the whole configuration; 412 if another one is in force */
                "if-match"?: string;
            };
            path: {
                partition: string;
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | string;
                "application/yaml": string;
                "text/plain": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"] | components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsQueuesPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueRunPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description It needs more memory than a thread may use. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsSettings: {
        parameters: {
            query?: {
                /** @description A queue; root: the partition. */
                queue?: string;
            };
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    patchPartitionsSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the settings that are to change; 412 if an override of the partition changed since */
                "if-match"?: string;
            };
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /**
                     * @description A queue; root: the partition.
                     * @default root
                     */
                    queue?: string;
                    reason?: string;
                    settings: components["schemas"]["SettingChanges"];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsSimulated: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkCounts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    deletePartitionsSimulated: {
        parameters: {
            query?: {
                /** @description Only this queue and all below it. Absent: all. */
                under?: string;
            };
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedWork"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsSimulatedApplications: {
        parameters: {
            query?: {
                /** @description Only this queue and all below it. Absent: all. */
                under?: string;
            };
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationWorkList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsSimulatedLoad: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allocations: number;
                    applications?: number;
                    /** @default 1 */
                    daemonsPercent?: number;
                    /** @default 1 */
                    depth?: number;
                    /** @description Seconds from the eviction until it is gone, in place of the grace period; `from` and `to`: drawn evenly for each. */
                    leavesAfterSeconds?: number | {
                        from: number;
                        to: number;
                    };
                    nodes?: number;
                    /** @default true */
                    originators?: boolean;
                    queues: number;
                    /** @description The sentence of its refusals. */
                    refusalReason?: string;
                    /** @description How many evictions it refuses before it leaves; `always`: every one. */
                    refuses?: number | "always";
                    /**
                     * @description Allocations that refuse evictions.
                     * @default 0
                     */
                    refusingPercent?: number;
                    /** @default false */
                    replace?: boolean;
                    /**
                     * @default [
                     *       {
                     *         "memory": 2000000000,
                     *         "vcore": 500
                     *       },
                     *       {
                     *         "memory": 4000000000,
                     *         "vcore": 1000
                     *       },
                     *       {
                     *         "memory": 8000000000,
                     *         "vcore": 2000
                     *       }
                     *     ]
                     */
                    resources?: {
                        [key: string]: number;
                    }[];
                    /** @default 1 */
                    seed?: number;
                    /**
                     * @description Allocations that leave slowly.
                     * @default 0
                     */
                    slowPercent?: number;
                    /** @default 24 */
                    startedWithinHours?: number;
                    /** @description Priorities of single allocations, drawn evenly, in place of those of their applications. */
                    taskPriorities?: number[];
                    /** @default root.load */
                    under?: string;
                    /**
                     * @description Allocations with `allowPreemption: false`.
                     * @default 10
                     */
                    unwillingPercent?: number;
                    /** @default 50 */
                    users?: number;
                };
            };
        };
        responses: {
            /** @description One document once the work is done. `Accept: application/x-ndjson` returns a stream of progress instead, with one JSON value in each line; the stream may end with an error. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoadDone"];
                    "application/x-ndjson": components["schemas"]["LoadLine"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPartitionsSimulatedQueues: {
        parameters: {
            query?: {
                /** @description Only this queue and all below it. Absent: all. */
                under?: string;
            };
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueWorkList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsSimulatedSample: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkCounts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPartitionsSimulatedScenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    applications: {
                        gang?: {
                            minMembers: number;
                        };
                        id: string;
                        /** @default [] */
                        pending?: {
                            count: number;
                            resources: {
                                [key: string]: string | number;
                            };
                        }[];
                        /** @default 0 */
                        priority?: number;
                        queue: string;
                        /** @default false */
                        releasesWhenNotified?: boolean;
                        /** @default [] */
                        running?: {
                            /** @default true */
                            allowPreemption?: boolean;
                            budgets?: string[];
                            checkpointedMinutesAgo?: number;
                            /** @default 1 */
                            count?: number;
                            interruptible?: boolean;
                            /** @description Seconds from the eviction until it is gone, in place of the grace period; `from` and `to`: drawn evenly for each. */
                            leavesAfterSeconds?: number | {
                                from: number;
                                to: number;
                            };
                            node?: string;
                            priority?: number;
                            protected?: boolean;
                            /** @description The sentence of its refusals. */
                            refusalReason?: string;
                            /** @description How many evictions it refuses before it leaves; `always`: every one. */
                            refuses?: number | "always";
                            resources: {
                                [key: string]: string | number;
                            };
                            /**
                             * @default task
                             * @enum {string}
                             */
                            role?: "task" | "originator" | "daemon" | "placeholder";
                            /** @default 10 */
                            secondsApart?: number;
                            /** @default 60 */
                            startedMinutesAgo?: number;
                        }[];
                        /** @default true */
                        startsWhenRoom?: boolean;
                        /** @default 90 */
                        submittedMinutesAgo?: number;
                        user: string;
                        weight?: number;
                    }[];
                    /** @default [] */
                    budgets?: {
                        allowed: number;
                        id: string;
                    }[];
                    nodes: {
                        capacity: {
                            [key: string]: string | number;
                        };
                        id: string;
                    }[];
                    /** @default false */
                    replace?: boolean;
                    /** @default 1 */
                    seed?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlacedScenario"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPlans: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description Only of this policy: quota-decrease, intra-queue, fair-share. */
                policy?: string;
                /** @description At this time or later. */
                since?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanSummaryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postPlansPreview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPlansByEnforcement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enforcement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedPlan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getPools: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ElementPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getQueues: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getQueuesByPath: {
        parameters: {
            query?: {
                partition?: string;
            };
            header?: never;
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getQueuesExplanation: {
        parameters: {
            query?: {
                partition?: string;
            };
            header?: never;
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueExplanation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getQueuesHistory: {
        parameters: {
            query?: {
                partition?: string;
                /** @description At this time or later. */
                since?: string;
            };
            header?: never;
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueHistory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postQueuesEnforce: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description true: without the delay of the queue
                     * @default false
                     */
                    atOnce?: boolean;
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /**
                     * @description true: only check whether a run could follow; nothing is requested
                     * @default false
                     */
                    dryRun?: boolean;
                    /** @default default */
                    partition?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRequested"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getReplays: {
        parameters: {
            query?: {
                /** @description At this time or later. */
                since?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only in this state. */
                state?: "running" | "stopped" | "interrupted" | "failed" | "done";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postReplays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /**
                     * Format: date-time
                     * @description Plans or events recorded at this time or later.
                     */
                    from?: string;
                    /** @enum {string} */
                    into: "projections" | "digest" | "shadow";
                    /**
                     * @description Start from the beginning, not where an earlier one stopped.
                     * @default false
                     */
                    restart?: boolean;
                    /** @description For a shadow: settings that replace recorded ones. */
                    settings?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: date-time
                     * @description Plans or events recorded before this time.
                     */
                    to?: string;
                };
            };
        };
        responses: {
            /** @description One document once the work is done. `Accept: application/x-ndjson` returns a stream of progress instead, with one JSON value in each line; the stream may end with an error. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayDone"];
                    "application/x-ndjson": components["schemas"]["ReplayLine"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getReplaysByReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                replay: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    deleteReplaysByReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                replay: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayStopping"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getReport: {
        parameters: {
            query: {
                /** @description Absent: all. */
                partition?: string;
                /** @description Only this queue, and everything below it. */
                queue?: string;
                /** @description Evicted at this time or later. */
                since: string;
                /** @description Evicted before this time. Absent: now. */
                until?: string;
                /** @description `cause` is the policy of the run. */
                by?: "queue" | "user" | "cause" | "rule";
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postRepublications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who sends the command. Where a credential is needed, its owner counts instead.
                     * @default operator
                     */
                    by?: string;
                    /**
                     * @description Only count the events; send nothing.
                     * @default false
                     */
                    dryRun?: boolean;
                    /**
                     * Format: date-time
                     * @description Plans or events recorded at this time or later.
                     */
                    from?: string;
                    /**
                     * @description Start from the beginning, not where an earlier one stopped.
                     * @default false
                     */
                    restart?: boolean;
                    /**
                     * Format: date-time
                     * @description Plans or events recorded before this time.
                     */
                    to?: string;
                    /** @enum {string} */
                    topic: "curtail.quota" | "curtail.enforcement" | "curtail.starvation" | "curtail.plans" | "curtail.foresight" | "curtail.evictions" | "curtail.control";
                };
            };
        };
        responses: {
            /** @description One document once the work is done. `Accept: application/x-ndjson` returns a stream of progress instead, with one JSON value in each line; the stream may end with an error. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepublicationDone"];
                    "application/x-ndjson": components["schemas"]["RepublicationLine"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getRounds: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only of this policy: quota-decrease, intra-queue, fair-share. */
                policy?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoundsPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getStatus: {
        parameters: {
            query?: {
                /** @description Absent: all. */
                partition?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getTimers: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only this queue, by its path, and everything below it. */
                queue?: string;
                /** @description Only of this policy: quota-decrease, intra-queue, fair-share. */
                policy?: string;
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only in this state. */
                state?: "pending" | "suspended" | "waiting";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimerPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getVictims: {
        parameters: {
            query?: {
                partition?: string;
                /** @description Only of this user. */
                user?: string;
                /** @description Only of this application. */
                application?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundVictims"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postWebhookResend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postWebhookTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTested"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            /** @description The receiver did not accept the message; `detail` has its answer. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    postWhatIf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    alternatives: ({
                        /** @description true: unknown keys of queues.yaml are warnings. */
                        allowUnknown?: boolean;
                        /** @description A whole configuration, as `PUT /v1/partitions/{partition}/config` takes it */
                        configuration: string | {
                            [key: string]: unknown;
                        } | unknown[];
                        /** @description A delay for queues with a max that have none, in seconds; the enforcement of quotas then counts as switched on. With `quotas` it is for the queues that they name. */
                        delaySeconds?: number;
                        /**
                         * @description The format. Absent: detected.
                         * @enum {string}
                         */
                        format?: "yunikorn" | "capacity-scheduler" | "ytsaurus";
                        name: string;
                    } | {
                        /** @description A delay for queues with a max that have none, in seconds; the enforcement of quotas then counts as switched on. With `quotas` it is for the queues that they name. */
                        delaySeconds?: number;
                        name: string;
                        /** @description Limits to try in place of those in force */
                        quotas: {
                            /** @description Quantities by resource type, such as `{"memory": "120G"}`; other types stay as they are */
                            max: {
                                [key: string]: string | number;
                            };
                            queue: string;
                        }[];
                    })[];
                    /** @default default */
                    partition?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhatIf"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getWhoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
}
