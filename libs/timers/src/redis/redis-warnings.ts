/**
 * What an operator should know of a Redis that keeps the doorbell, read from its INFO: CONFIG GET is refused by many an ACL
 * and by managed servers. Nothing of this loses a timer; it makes rings late.
 */
export function redisWarnings(info: string): string[] {
  const facts = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  const warnings: string[] = [];
  const hz = Number(facts.get('configured_hz') ?? facts.get('hz'));
  if (hz < 100) {
    warnings.push(
      `Redis looks only ${hz} times a second whether a wait is over: rings come up to ${Math.round(1000 / hz)} ms late. Set hz 100.`,
    );
  }
  const policy = facts.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `Redis may throw keys away when its memory is full (maxmemory-policy ${policy}): rings are lost then, and come late by the sweep. Set maxmemory-policy noeviction.`,
    );
  }
  if (facts.get('aof_enabled') === '0') {
    warnings.push(
      'Redis keeps no append-only file: after a restart all rings are asked for anew, and those due meanwhile come late by the sweep. Set appendonly yes.',
    );
  }
  return warnings;
}
