import { existsSync } from 'node:fs';
import type { ThreadProgram } from '#platform';

/** The places of the shared memory, as held-planning.mjs has them. */
const [begun, most, released] = [0, 2, 3];

/**
 * Programs of threads whose work lasts until a test releases it. They are the built ones: a thread gives way to everything else on a busy
 * machine, and would take minutes there to translate the sources.
 */
export class HeldThreads {
  private readonly gate = new Int32Array(new SharedArrayBuffer(16));

  /** @param name the path of its source without the ending, such as `apps/planner/src/thread`. @throws without a build. */
  program(name: string): ThreadProgram {
    const built = new URL(`../../dist/${name}.js`, import.meta.url);
    if (!existsSync(built)) throw new Error(`${built.pathname} is missing: npm run build`);
    return {
      file: new URL('held-planning.mjs', import.meta.url),
      workerData: { gate: this.gate.buffer, program: built.href },
    };
  }

  /** How many pieces of work have begun. */
  get begun(): number {
    return Atomics.load(this.gate, begun);
  }

  /** How many have been under way together, at most. */
  get mostTogether(): number {
    return Atomics.load(this.gate, most);
  }

  /** Lets the first `count` go on. */
  release(count: number): void {
    Atomics.store(this.gate, released, count);
    Atomics.notify(this.gate, released);
  }
}
