import type { Finding } from './queue-source.js';

export interface FindingsOptions {
  /** To who runs the agent. */
  onFinding: (finding: Finding) => void;
  /** On the object. */
  event: (reason: string, finding: Finding) => void;
}

/** What is found to be wrong with objects of the cluster: told once each, and again when it had been mended meanwhile. */
export class Findings {
  private readonly told = new Map<string, Set<string>>();

  constructor(private readonly options: FindingsOptions) {}

  /** @param reason of the event; findings of one reason are told together. */
  tell(reason: string, findings: readonly Finding[]): void {
    const before = this.told.get(reason) ?? new Set();
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
    this.told.set(reason, now);
  }
}
