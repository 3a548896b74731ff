import { describe, expect, it } from '@jest/globals';
import { listen, type Said, type SenderState } from './listen.js';

const second = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10) + seconds * 1000);
const nothing: SenderState = {
  source: null,
  heardAt: null,
  listedSequence: 0,
  heldSequence: 0,
  newestSequence: 0,
  newestAt: null,
  confirmedSequence: 0,
  confirmedAt: null,
  rejected: null,
};
/** A sender that was heard at second 0, with a listing of sequence 90 and a report of sequence 100. */
const known: SenderState = {
  ...nothing,
  heardAt: second(0),
  listedSequence: 90,
  newestSequence: 100,
  newestAt: second(0),
};
const report = (sequence: number, at: number): Said => ({ kind: 'report', sequence, at: second(at) });
const page = (sequence: number, at: number): Said => ({ kind: 'page', sequence, at: second(at) });
const confirmed = (at: number, sequence?: number): Said => ({
  kind: 'confirmation',
  at: second(at),
  ...(sequence === undefined ? {} : { sequence }),
});
const heard = (...said: Said[]) => listen(known, said);
const rejects = (...said: Said[]) => heard(...said).rejected !== null;

describe('a sender', () => {
  it('is heard by what is newer than everything before', () => {
    expect(heard(report(101, 5))).toMatchObject({
      heardAt: second(5),
      newestSequence: 101,
      newestAt: second(5),
      rejected: null,
    });
  });

  it('is heard by its first report, of whatever sequence', () => {
    expect(listen(nothing, [report(7, 3)])).toMatchObject({ heardAt: second(3), newestSequence: 7 });
  });

  it('is not heard by what is late or said twice, and that is no fault', () => {
    expect(heard(report(50, -3), report(100, 0), report(95, 0.5))).toEqual(known);
  });

  it('is heard by all pages of a listing, while newer reports are sent', () => {
    const state = heard(page(105, 5), report(106, 6), page(105, 60));
    expect(state).toMatchObject({ heardAt: second(60), newestSequence: 106, rejected: null });
    expect(listen(state, [page(105, 90)])).toMatchObject({ heardAt: second(90), rejected: null });
  });

  it('is not heard by pages of a listing that is held already', () => {
    const held = { ...known, heldSequence: 100 };
    expect(listen(held, [page(100, 30)]).heardAt).toEqual(second(0));
  });

  it('whose clock was corrected is heard again by its next report', () => {
    const ahead = listen(known, [report(101, 3600)]);
    expect(listen(ahead, [report(102, 5)])).toMatchObject({
      newestSequence: 102,
      newestAt: second(5),
      rejected: null,
    });
  });
});

describe('a sequence that went back', () => {
  it('is that of a sender that began again with a smaller counter', () => {
    expect(heard(report(1, 5), report(2, 7))).toMatchObject({
      heardAt: second(0),
      newestSequence: 100,
      rejected: { at: second(7), sequence: 2, count: 2 },
    });
  });

  it('is everything after a listing with a huge sequence', () => {
    const stuck = listen(known, [page(Number.MAX_SAFE_INTEGER, 5), report(101, 7)]);
    expect(stuck.rejected).toMatchObject({ sequence: 101, count: 1 });
    expect(listen(stuck, [report(102, 30)])).toMatchObject({ heardAt: second(5), rejected: { count: 2 } });
  });

  it('is found in one batch with what was before it', () => {
    expect(listen(nothing, [report(1, 9), report(100, 0)]).rejected).toMatchObject({ sequence: 1 });
  });

  it('is that of a listing that is older than the last whole one, said after the newest report', () => {
    expect(rejects(page(3, 0.5))).toBe(true);
    expect(rejects(page(3, -1))).toBe(false);
    expect(rejects(page(90, 5))).toBe(false);
  });

  it('is not one of reports that are said within a second', () => {
    expect(rejects(report(99, 1))).toBe(false);
    expect(rejects(report(99, 1.001))).toBe(true);
  });

  it('is over with a report that is newer than all, and said later', () => {
    const rejected = heard(report(1, 5));
    expect(listen(rejected, [report(101, 4)]).rejected).toMatchObject({ count: 1 });
    expect(listen(rejected, [report(101, 6)])).toMatchObject({ heardAt: second(6), rejected: null });
  });
});

describe('a confirmation', () => {
  it('without a sequence is heard', () => {
    expect(heard(confirmed(5))).toMatchObject({
      heardAt: second(5),
      newestAt: second(0),
      confirmedSequence: 0,
    });
  });

  it('without a sequence refreshes nothing while the sequence of reports goes back', () => {
    const rejected = heard(report(1, 5));
    expect(listen(rejected, [confirmed(30)])).toEqual(rejected);
    expect(heard(report(1, 5), confirmed(6)).heardAt).toEqual(second(0));
  });

  it('of the newest sequence is heard, and says that it is the newest at that time', () => {
    expect(heard(confirmed(5, 100))).toMatchObject({
      heardAt: second(5),
      newestAt: second(5),
      confirmedSequence: 100,
    });
  });

  it('of a lower sequence than the newest went back', () => {
    expect(heard(confirmed(5, 7))).toMatchObject({
      heardAt: second(0),
      confirmedSequence: 0,
      rejected: { sequence: 7 },
    });
  });

  it('of a sequence that was never taken shows that reports are missing', () => {
    const missing = heard(confirmed(5, 103));
    expect(missing).toMatchObject({ confirmedSequence: 103, newestSequence: 100 });
    expect(listen(missing, [confirmed(3, 100)])).toMatchObject({ confirmedSequence: 103 });
  });
});
