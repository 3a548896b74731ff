import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../folders.js';
import { kafkaVersion, nameOf, readArtifacts, redisJar } from './artifacts.js';

describe('artifacts.json', () => {
  it('lists what the POM asks for: `node scripts/infra.mjs list-artifacts` writes it again', () => {
    const pom = readFileSync(join(root, 'test/infra/pom.xml'), 'utf8');
    const names = readArtifacts().map(nameOf);
    const asked = [
      ...pom.matchAll(
        /<artifactId>(\S+)<\/artifactId>\s+<version>(\S+)<\/version>\s*(<exclusions>|<\/dependency>)/g,
      ),
    ];
    expect(pom).toContain(`<kafka.version>${kafkaVersion}</kafka.version>`);
    const jars = asked.map(([, name, version]) => `${name}-${version?.replace(/^\$.*$/, kafkaVersion)}.jar`);
    expect(jars).toEqual([`kafka_2.13-${kafkaVersion}.jar`, 'slf4j-simple-1.7.36.jar', redisJar]);
    expect(names).toEqual(expect.arrayContaining(jars));
    expect(new Set(names).size).toBe(names.length);
  });
});
