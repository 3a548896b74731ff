/**
 * Does work that may take longer than the lease it is done under.
 *
 * @param renew renews the lease. Its errors are ignored: the next call tries again, and the recorder of the work sees whether the
 *   lease still holds.
 */
export async function whileRenewing<T>(
  everyMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const renewal = setInterval(() => void renew().catch(() => {}), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}
