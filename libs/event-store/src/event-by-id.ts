/**
 * Reads the event with an id in one partition of the log: `event_ids` has the time of its recording. An id that is
 * missing there can only be in the first partition, whose events are older than `event_ids`.
 *
 * @param id an SQL expression.
 */
export const eventById = (id: string) => `
  SELECT * FROM events
  WHERE events.id = ${id}
    AND events.recorded_at >= coalesce((SELECT recorded_at FROM event_ids WHERE event_ids.id = ${id}), '-infinity')
    AND events.recorded_at <= coalesce((SELECT recorded_at FROM event_ids WHERE event_ids.id = ${id}),
                                       (SELECT ends_at FROM log_partitions WHERE starts_at = '-infinity'))`;
