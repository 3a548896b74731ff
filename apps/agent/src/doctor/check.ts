/** The result of one check. */
export interface Check {
  /** Short: `rights to observe`. */
  name: string;
  /** `note`: it works, but may be worth knowing; `problem`: an administrator has to act. */
  status: 'ok' | 'note' | 'problem';
  message: string;
  /** Instructions, in their order; each command is an item of its own. */
  remedy?: readonly string[];
  /** For `kubectl apply`, besides `remedy`. */
  manifest?: string;
}

/** Runs one check. An error becomes a problem with this name and `remedy`. */
export async function runCheck(
  name: string,
  check: () => Promise<Check | readonly Check[]>,
  remedy: readonly string[] = [],
): Promise<Check[]> {
  try {
    const found = await check();
    return Array.isArray(found) ? [...found] : [found as Check];
  } catch (error) {
    return [{ name, status: 'problem', message: (error as Error).message, remedy }];
  }
}

/** By how much a clock is ahead of this machine's, in seconds; negative = behind. A `Date` header has whole seconds. */
export function skewSeconds(date: string, asked: { from: number; to: number }): number {
  const earliest = Date.parse(date);
  // The answer was sent between `from` and `to`, at some time within its second.
  if (earliest > asked.to) return Math.ceil((earliest - asked.to) / 1000);
  if (earliest + 1000 < asked.from) return -Math.ceil((asked.from - earliest - 1000) / 1000);
  return 0;
}

const mostSkewSeconds = 2;

export function clockCheck(whose: string, skew: number): Check {
  const name = `clock of ${whose}`;
  if (Math.abs(skew) < mostSkewSeconds)
    return { name, status: 'ok', message: 'agrees with that of this machine' };
  const how = skew > 0 ? 'ahead of' : 'behind';
  return {
    name,
    status: 'problem',
    message: `is ${Math.abs(skew)} s ${how} that of this machine: requests for eviction may expire before they are read`,
    remedy: [`Synchronize both machines by NTP: where the agent runs, and ${whose}.`],
  };
}
