/**
 * Warnings about a Redis that stores wake-ups, from its INFO: many ACLs and managed servers refuse CONFIG GET. None of these settings
 * loses a timer; they make wake-ups late.
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
      `Redis checks only ${hz} times a second whether a wait is over: wake-ups come up to ${Math.round(1000 / hz)} ms late. Set hz 100.`,
    );
  }
  const policy = facts.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `Redis may evict keys when its memory is full (maxmemory-policy ${policy}): wake-ups are lost then, and the sweep finds their timers late. Set maxmemory-policy noeviction.`,
    );
  }
  if (facts.get('aof_enabled') === '0') {
    warnings.push(
      'Redis keeps no append-only file: after a restart all wake-ups are requested again, and the sweep finds timers that fell due meanwhile late. Set appendonly yes.',
    );
  }
  return warnings;
}
