import { describe, expect, it } from '@jest/globals';
import { ConflictException, ServiceUnavailableException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { parse } from 'yaml';
import { databaseRefusal } from '../postgres/database-errors.js';
import { ProblemException } from './problem.js';
import { problemOf } from './problem-of.js';

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('the problem of an error', () => {
  it('of malformed YAML has its place', () => {
    const found = problemOf(thrownBy(() => parse('queues:\n  - name: a\n   max: [1\n')));
    expect(found).toMatchObject({ status: 400, type: 'urn:curtail:problem:bad-input', line: 3 });
    expect(found.detail).toMatch(/^This is not YAML: /);
    expect(found.detail).not.toContain('\n');
  });

  it('of an exception of Nest has its status and message, unless it is an internal error', () => {
    expect(problemOf(new ConflictException('is running'))).toMatchObject({
      type: 'urn:curtail:problem:conflict',
      title: 'Conflict',
      status: 409,
      detail: 'is running',
    });
    expect(problemOf(new ServiceUnavailableException('no database'))).toMatchObject({ status: 503 });
  });

  it.each(['57014', '55P03'])('of a statement that reached its limit (%s) names the limit', (code) => {
    const error = new QueryFailedError(
      'SELECT',
      [],
      Object.assign(new Error('canceling statement'), { code }),
    );
    expect(problemOf(error)).toMatchObject({ status: 504, type: 'urn:curtail:problem:took-too-long' });
  });

  it('of a lost connection has what is known of the server of this process', () => {
    const full = databaseRefusal({ code: '53100' })!;
    const lost = new Error('Connection terminated unexpectedly');
    expect(problemOf(lost, () => full).type).toBe('urn:curtail:problem:database-full');
    expect(problemOf(lost, () => undefined).type).toBe('urn:curtail:problem:database-away');
    expect(problemOf(new TypeError('a defect'), () => full).type).toBe('urn:curtail:problem:internal');
  });

  it.each([
    ['53100', 'database-full', /^The disk of the database is full: /],
    ['53200', 'database-out-of-memory', /^The server of the database is out of memory\. /],
    ['53300', 'database-connections', /^The database grants no further connections: /],
    ['25006', 'database-read-only', /^The database takes no writes: /],
    ['08006', 'database-away', /^The database cannot be reached or is too busy; /],
  ])('of a database that refuses work (%s) names the cause', (code, kind, detail) => {
    const driverError = Object.assign(new Error('a secret of the server'), { code });
    for (const error of [driverError, new QueryFailedError('INSERT', [], driverError)]) {
      const found = problemOf(error);
      expect(found).toMatchObject({ status: 503, type: `urn:curtail:problem:${kind}` });
      expect(found.detail).toMatch(detail);
      expect(found.detail).toContain('takes effect completely or not at all');
      expect(found.remedy).toMatch(/^[A-Z].*\.$/);
      expect(found.runbook).toMatch(/^docs\/runbooks\/(disk-full|postgresql-down)\.md$/);
      expect(JSON.stringify(found)).not.toContain('secret');
    }
  });

  it('of one thrown on purpose has its content, with its own members', () => {
    const sketch = {
      code: 'unknown-queue',
      title: 'Unknown queue',
      status: 404,
      detail: 'root.x',
      partition: 'p',
    };
    expect(problemOf(new ProblemException(sketch))).toEqual({
      type: 'urn:curtail:problem:unknown-queue',
      title: 'Unknown queue',
      status: 404,
      detail: 'root.x',
      partition: 'p',
    });
  });

  it.each([new Error('secret'), 'a text', undefined, { status: 200, expose: true }])(
    'of %s is a fault',
    (error) => {
      expect(problemOf(error)).toMatchObject({ type: 'urn:curtail:problem:internal', status: 500 });
      expect(JSON.stringify(problemOf(error))).not.toContain('secret');
    },
  );
});
