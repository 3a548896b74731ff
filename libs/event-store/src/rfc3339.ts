/** SQL: a time as RFC 3339, in UTC. */
export const AT = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
