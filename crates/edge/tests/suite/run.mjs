// The suite http-cache-tests, run against the edge or against another cache, and its score.
//
//   node run.mjs SUITE SCRATCH edge=PROGRAM [nginx=nginx] [varnish=varnishd] [--at-least REQUIRED,OPTIMAL] [--write PAGE]
//
// Starts the suite's own origin, each cache in front of it in turn, and the suite's command line. Everything listens on
// loopback at a port the system chose, or that was free a moment ago where a program cannot say which it got.

import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { count, page, said } from './score.mjs'

const START_WITHIN_MS = 30_000
const SUITE_WITHIN_MS = 150_000

const [suite, scratch, ...words] = process.argv.slice(2)
const children = new Set()
let failed = false

/** How each cache is started: as its own documentation says, with nothing tuned for the suite. */
const caches = {
  async edge (program, originPort) {
    const child = start(program, ['--listen', '127.0.0.1:0', '--origin', `http://127.0.0.1:${originPort}`])
    return { child, port: await port(child) }
  },
  async nginx (program, originPort) {
    const [folder, free] = [join(scratch, 'nginx'), await freePort()]
    mkdirSync(folder)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(kind => `${kind}_temp_path ${folder}/${kind};`)
    writeFileSync(join(folder, 'nginx.conf'), `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
      events { worker_connections 1024; }
      http {
        access_log off; ${temporary.join(' ')}
        proxy_cache_path ${folder}/cache levels=1:2 keys_zone=pages:8m max_size=1000m inactive=600m;
        server {
          listen 127.0.0.1:${free};
          location / { proxy_pass http://127.0.0.1:${originPort}; proxy_cache pages; proxy_cache_revalidate on; }
        }
      }`)
    const child = start(program, ['-e', 'stderr', '-c', join(folder, 'nginx.conf')])
    await answers(child, free)
    return { child, port: free }
  },
  async varnish (program, originPort) {
    const [folder, free] = [join(scratch, 'varnish'), await freePort()]
    const child = start(program, ['-F', '-n', folder, '-a', `127.0.0.1:${free}`, '-b', `127.0.0.1:${originPort}`, '-s', 'malloc,256m'], { stdio: ['ignore', 'pipe', 'ignore'] })
    await answers(child, free)
    return { child, port: free }
  }
}

try {
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  const scores = []
  for (const word of words.filter(word => word.includes('=') && !word.startsWith('--'))) {
    const [name, program] = word.split(/=(.*)/s)
    const score = await measure(name, program)
    console.log(said(score))
    // A cache that could not run is not one that scores nothing.
    if (score.required.passed === 0) throw new Error(`${name} passed no test at all: it did not run, see above`)
    scores.push(score)
  }
  const flag = name => words.includes(name) ? words[words.indexOf(name) + 1] : undefined
  if (flag('--write')) writeFileSync(flag('--write'), page(scores))
  const [required, optimal] = (flag('--at-least') ?? '0,0').split(',').map(Number)
  const [edge] = scores
  if (edge.required.passed < required || edge.optimal.passed < optimal) {
    console.error(`the edge must pass ${required} required and ${optimal} optimal tests`)
    failed = true
  }
} catch (error) {
  console.error(String(error.message ?? error))
  failed = true
} finally {
  for (const child of children) child.kill('SIGTERM')
}
process.exitCode = failed ? 1 : 0

async function measure (name, program) {
  const origin = start(process.execPath, ['--no-warnings', 'server/server.mjs'], {
    cwd: suite,
    // The suite reads its settings from what npm would set.
    env: { ...process.env, npm_config_protocol: 'http', npm_config_port: '0', npm_config_pidfile: join(scratch, 'origin.pid') }
  })
  const originPort = await port(origin)
  const cache = await caches[name](program, originPort)
  const results = await run({ npm_config_base: `http://127.0.0.1:${cache.port}`, npm_package_config_id: '' })
  await stop(cache.child)
  await stop(origin)
  return count(name, suite, results)
}

/** The suite's own command line; all that it prints are its results. */
async function run (settings) {
  const child = start(process.execPath, ['--no-warnings', 'cli.mjs'], { cwd: suite, env: { ...process.env, ...settings } })
  let text = ''
  child.stdout.on('data', piece => { text += piece })
  const ended = new Promise(resolve => child.on('close', resolve))
  await within(SUITE_WITHIN_MS, ended, 'the suite did not end in time')
  if (!text.startsWith('{')) throw new Error(`the suite printed no results: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

function start (program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  children.add(child)
  child.on('error', error => { console.error(`${program} does not start: ${error.message}`) })
  child.on('close', () => children.delete(child))
  return child
}

async function stop (child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise(resolve => child.on('close', resolve))
  child.kill('SIGTERM')
  await within(START_WITHIN_MS, closed, `${child.spawnfile} does not go`)
}

/** The port in the first line that says where a program listens; what it prints later is thrown away. */
async function port (child) {
  let text = ''
  const found = new Promise((resolve, reject) => {
    child.stdout.on('data', piece => {
      text += text.length < 10_000 ? piece : ''
      const listening = /listening on \S*:(\d+)/i.exec(text)
      if (listening) resolve(Number(listening[1]))
    })
    child.on('close', () => reject(new Error(`${child.spawnfile} ended before it listened: ${text}`)))
  })
  return within(START_WITHIN_MS, found, `${child.spawnfile} did not say where it listens`)
}

function freePort () {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function answers (child, port) {
  const asked = () => new Promise(resolve => {
    const line = connect(port, '127.0.0.1', () => { line.destroy(); resolve(true) }).on('error', () => resolve(false))
  })
  const until = Date.now() + START_WITHIN_MS
  while (!await asked()) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${child.spawnfile} does not listen`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

function within (ms, promise, otherwise) {
  let timer
  const late = new Promise((_resolve, reject) => { timer = setTimeout(() => reject(new Error(otherwise)), ms) })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
