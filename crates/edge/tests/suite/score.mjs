// Counting what http-cache-tests found, the way its own page of results does.
//
// A test is required, optimal or a check. Checks ask how a cache behaves and judge nothing. A test may depend on others;
// the suite's page shows a test whose dependency failed apart from the rest, because it then shows little. Published scores
// count it all the same, so both numbers are given. The tests of Surrogate-Control, which no standard describes, and those
// for browsers alone are run by nobody's score and not in ours.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const KINDS = ['required', 'optimal', 'check']

export async function count (name, suite, results) {
  const { default: suites } = await import(pathToFileURL(join(suite, 'tests/index.mjs')))
  const tests = new Map()
  // The command line adds the tests of Surrogate-Control to this very list; here they are not in it.
  for (const { name: of, tests: some } of suites) {
    for (const test of some) if (!test.browser_only) tests.set(test.id, { ...test, of, kind: test.kind ?? 'required' })
  }
  const stands = id => results[id] === true && (tests.get(id).depends_on ?? []).every(stands)
  const score = { name, failing: [] }
  for (const kind of KINDS) score[kind] = { all: 0, passed: 0, standing: 0 }
  for (const [id, { kind, name, of }] of tests) {
    const tally = score[kind]
    tally.all += 1
    if (results[id] === true) tally.passed += 1
    if (stands(id)) tally.standing += 1
    if (results[id] !== true) score.failing.push({ id, kind, name, of, why: why(results[id]) })
  }
  return score
}

/** What differs from run to run is left out, so that the page changes only when something did. */
function why (result) {
  if (!Array.isArray(result)) return 'not run'
  const [kind, message] = result
  const text = String(message)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT/g, '…')
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, '…')
    .replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
  return kind === 'Setup' ? `while preparing: ${text}` : text
}

export function said (score) {
  const lines = [`${score.name}: ${tally(score, 'required')}, ${tally(score, 'optimal')}, ${tally(score, 'check')}`]
  for (const { id, kind, why } of score.failing) if (kind !== 'check') lines.push(`  ${kind.padEnd(8)} ${id}: ${why}`)
  return lines.join('\n')
}

function tally (score, kind) {
  const { all, passed, standing } = score[kind]
  return `${passed} of ${all} ${kind} (${standing} with all they depend on)`
}

export function page (scores) {
  const cell = ({ all, passed, standing }) => `${passed} of ${all} (${standing})`
  const rows = scores.map(score => `| ${score.name} | ${KINDS.map(kind => cell(score[kind])).join(' | ')} |`)
  const [edge] = scores
  const failing = kind => {
    const list = edge.failing.filter(test => test.kind === kind)
    return list.length === 0 ? ['None.'] : list.map(test => `- \`${test.id}\` (${test.of}): ${test.name.replace(/[.?]$/, '')}: ${test.why.replace(/[.]$/, '')}.`)
  }
  return `# The edge and http-cache-tests

\`cargo xtask cache-tests --peer nginx --peer varnish --write\` runs npm's http-cache-tests 0.4.5 against the edge and against
Debian's nginx and Varnish, each as its documentation sets it up, and writes this page. \`cargo xtask test cache\` runs the edge alone and
fails when fewer than 140 required or 65 optimal tests pass.

A required test shows that a cache keeps to the standard, an optimal one that it uses what it may use; a check asks how it
behaves and judges nothing. In brackets: those that pass together with every test they depend on, which is what the suite's
own page counts. The best published scores are 134 required (Squid) and 60 optimal (Apache httpd), counted without the brackets.

| cache | required | optimal | checks answered yes |
|---|---|---|---|
${rows.join('\n')}

## Required tests that the edge fails

${failing('required').join('\n')}

The tests \`stale-close-…\` have the origin hang up while a page is being asked for anew that must not be shown stale. The edge shows a page of
its own with status 502, as it should; the suite takes every answer that did not come from its origin for the kept one. Those about
\`Set-Cookie\` ask a cache to keep what this one promises never to keep.

## Optimal tests that the edge fails

${failing('optimal').join('\n')}
`
}
