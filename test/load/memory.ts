import { readFile } from 'node:fs/promises';
import { residentMemory } from '../../bench/processes.js';
import { type Point, slopeOf } from '../../bench/slope.js';

const megabyte = 2 ** 20;

/** Of one process, or of a server with all its processes, over time: seconds, megabytes. */
export class MemoryOverTime {
  private readonly points = new Map<string, Point[]>();
  private readonly began = performance.now();

  /** @param pids by name. Of PostgreSQL, whose processes come and go and share their pages, what each has to itself is added up. */
  constructor(private readonly pids: ReadonlyMap<string, number>) {}

  async sample(): Promise<void> {
    const at = (performance.now() - this.began) / 1000;
    for (const [name, pid] of this.pids) {
      const bytes = await (name === 'PostgreSQL' ? ownMemoryOfAll(pid) : residentMemory(pid));
      if (bytes === undefined) continue;
      const known = this.points.get(name) ?? [];
      known.push({ at, value: bytes / megabyte });
      this.points.set(name, known);
    }
  }

  /** `planner 131, …`, in megabytes, now. */
  get line(): string {
    return [...this.points].map(([name, points]) => `${name} ${points.at(-1)?.value.toFixed(0)}`).join(', ');
  }

  /** Whether and how each grows. The first third is left out: programs warm up. */
  judge(): Growth[] {
    return [...this.points].map(([name, points]) => {
      const seconds = points.at(-1)?.at ?? 0;
      const late = points.filter(({ at }) => at >= seconds / 3);
      const { perSecond, noise } = slopeOf(floorsOf(late));
      const span = (late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0);
      const grown = perSecond * span;
      const level = late.at(-1)?.value ?? 0;
      return {
        name,
        from: floorsOf(late)[0]?.value ?? 0,
        to: floorsOf(late).at(-1)?.value ?? 0,
        perHour: perSecond * 3600,
        noise,
        // A few pages are no growth.
        grows: grown > 2 * noise && grown > level / 10,
      };
    });
  }
}

/** The least of each tenth: memory goes up until garbage is collected, and what is left then is what grows, or does not. */
function floorsOf(points: readonly Point[]): Point[] {
  const size = Math.max(1, Math.ceil(points.length / 10));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) =>
    points
      .slice(i * size, (i + 1) * size)
      .reduce((least, point) => (point.value < least.value ? point : least)),
  );
}

export interface Growth {
  name: string;
  /** The least megabytes in the first and in the last tenth of what is judged. */
  from: number;
  to: number;
  perHour: number;
  /** How far the values are from the line through them. */
  noise: number;
  grows: boolean;
}

async function ownMemoryOfAll(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const all = [pid, ...children.split(' ').filter(Boolean).map(Number)];
  const own = await Promise.all(all.map(ownMemory));
  return own.reduce((sum, one) => sum + one, 0);
}

async function ownMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}
