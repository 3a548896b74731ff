import { stringify } from 'yaml';
import { readConfiguration, readEntries } from '#configuration';
import { Problems } from '../libs/configuration/src/problems.js';
import { readAnyYaml, readYaml } from '../libs/configuration/src/yaml-source.js';
import { bestCpuMedians } from './measure.js';
import { type Row, ratio, report } from './report.js';

const MOST_TIMES_JSON = 25;

/** Core time of reading a configuration of 1,000 and of 10,000 queues, beside `JSON.parse` of the same content. */
export function benchReading(): void {
  const rows = [1_000, 10_000].flatMap((count) => {
    const content = contentOf(count);
    const [yaml, json] = [stringify(content), JSON.stringify(content)];
    const changed = json.replace('"max":{"memory":"', '"max":{"memory":"1');
    const changedYaml = yaml.replace(/(max:\s+memory: )/, '$11');
    const base = readEntries({ text: json }, {});
    const baseYaml = readEntries({ text: yaml }, {});
    const fields = (text: string) => () => readYaml(text, new Problems());
    const works = {
      'its fields from YAML': fields(yaml),
      'its fields from JSON': fields(json),
      'its fields from YAML with an anchor': () => readAnyYaml(yaml, new Problems()),
      'all of it, with every rule, from YAML': () => readConfiguration(yaml),
      'all of it, with every rule, from JSON': () => readConfiguration(json),
      'all of it, entry by entry, from JSON': () => readEntries({ text: json }, {}),
      'all of it, entry by entry, from YAML': () => readEntries({ text: yaml }, {}),
      'one changed entry, with every rule, from JSON': () => readEntries({ text: changed }, {}, { base }),
      'one changed entry, with every rule, from YAML': () =>
        readEntries({ text: changedYaml }, {}, { base: baseYaml }),
      'another comment, from YAML': () => readEntries({ text: `# new\n${yaml}` }, {}, { base: baseYaml }),
    };
    const [floor, ...times] = bestCpuMedians(3, () => JSON.parse(json), ...Object.values(works));
    return Object.keys(works).map((what, index): Row => {
      const took = times[index]!;
      const isGoal = what === 'its fields from YAML';
      return {
        what: `${count} queues: ${what}`,
        measured: `${took.toFixed(1)} ms`,
        beside: `${floor!.toFixed(1)} ms`,
        ratio: ratio(took, floor!),
        ...(isGoal && { target: `<= ${MOST_TIMES_JSON}`, met: took <= MOST_TIMES_JSON * floor! }),
      };
    });
  });
  report('Reading a configuration, core time, beside JSON.parse of the same content', rows);
}

/** Queues in groups of twenty, with amounts, a delay for one of seven and limits for one of eleven. */
function contentOf(count: number) {
  const groups = Math.ceil(count / 20);
  const leaf = (n: number) => ({
    name: `team-${n}`,
    resources: {
      guaranteed: { memory: `${(n % 50) + 1}Gi`, vcore: (n % 7) + 1 },
      max: { memory: `${(n % 90) + 60}Gi`, vcore: String((n % 17) + 8), 'nvidia.com/gpu': n % 5 },
    },
    ...(n % 7 === 0 && { properties: { 'quota.preemption.delay': `${(n % 9) + 1}m` } }),
    ...(n % 11 === 0 && { limits: [{ limit: 'all', users: ['*'], maxapplications: n % 100 }] }),
  });
  const queues = Array.from({ length: groups }, (_, group) => ({
    name: `division-${group}`,
    parent: true,
    queues: Array.from({ length: Math.min(20, count - group * 20) }, (_, n) => leaf(group * 20 + n)),
  }));
  return { partitions: [{ name: 'default', queues: [{ name: 'root', queues }] }] };
}
