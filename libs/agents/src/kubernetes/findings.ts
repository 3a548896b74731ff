import type { Finding } from './queue-source.js';

export interface FindingsOptions {
  /** Shows it to the operator of the agent. */
  onFinding: (finding: Finding) => void;
  /** Writes an event on the object. */
  event: (reason: string, finding: Finding) => void;
}

/** Reports problems of objects in the cluster: each once, and again if it was fixed and returned. */
export class Findings {
  private readonly reported = new Map<string, Set<string>>();

  constructor(private readonly options: FindingsOptions) {}

  /** @param reason the reason of the event; `findings` are all current ones with this reason. */
  report(reason: string, findings: readonly Finding[]): void {
    const before = this.reported.get(reason) ?? new Set();
    const now = new Set<string>();
    for (const finding of findings) {
      const { object, field, code, message } = finding;
      const key = JSON.stringify([object.uid, field, code, message]);
      if (now.has(key)) continue;
      now.add(key);
      if (before.has(key)) continue;
      this.options.onFinding(finding);
      this.options.event(reason, finding);
    }
    this.reported.set(reason, now);
  }
}
