import { stylesheet } from "../ui/document.ts"

/**
 * The replay on its page. The sizes that its script sets are numbers of CSS pixels. Its tools stay in sight, as an app may
 * scroll the page to itself.
 */
export const replayStyle = stylesheet(`
.device { min-width: 0 }
.tools {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .4rem;
  margin-bottom: .25rem; padding-bottom: .5rem; background: var(--background);
}
.tools[hidden] { display: none }
.tools .state { flex: 1 1 9rem; margin: 0; color: var(--muted); font-size: .9rem }
.tools .state::before {
  content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .5em; border-radius: 50%;
  background: currentcolor;
}
.tools .state[data-state="running"]::before { background: var(--good) }
.tools .state[data-state="starting"]::before, .tools .state[data-state="blank"]::before { background: var(--wait) }
.tools .state:is([data-state="failed"], [data-state="obstacle"], [data-state="silent"], [data-state="unheard"])::before {
  background: var(--bad);
}
.tools button, .console button { padding: .3rem .65rem; font-size: .85rem }
.tools button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent) }
button:disabled { opacity: .5; cursor: default; filter: none }
.trouble { max-width: none; margin-bottom: .75rem; border-color: var(--bad) }
.trouble p { margin: 0 }
.trouble pre { max-height: 14rem; margin-top: .5rem; color: var(--ink) }

.stage { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.25rem }
.screen { flex: none; max-width: 100%; margin: 0 auto; overflow: auto; border-radius: 6px; background: #fff }
.screen[hidden], .console [hidden], .instead[hidden] { display: none }
.screen iframe { display: block; border: 0; background: #fff }
.screen[data-shown] { min-height: 2rem; box-sizing: content-box }
.screen[data-shown="fitted"] {
  width: calc(var(--width) * var(--scale) * 1px); height: calc(var(--height) * var(--scale) * 1px); overflow: hidden;
}
.screen[data-shown="actual"] { width: calc(var(--width) * 1px); height: calc(var(--height) * 1px); max-height: 90vh; max-width: calc(100% - 20px) }
.screen[data-shown] iframe {
  width: calc(var(--width) * 1px); height: calc(var(--height) * 1px);
  transform: scale(var(--scale)); transform-origin: 0 0;
}
.instead { flex: 1 1 16rem; min-width: 0 }
.instead h3, .console h3 { margin: 0; font-size: .95rem }
.instead figure { margin: .75rem 0 0 }
.instead img, .instead video {
  display: block; max-width: 100%; max-height: 34rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--sunken);
}
.instead figcaption { margin-top: .25rem; color: var(--muted); font-size: .85rem }

.console {
  flex: 1 1 16rem; min-width: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 14px;
  background: var(--surface); font-size: .85rem;
}
.console .head { display: flex; align-items: center; gap: .6rem }
.console .errors { flex: 1; color: var(--bad) }
.console .none, .console .gone { color: var(--muted) }
.console ol { max-height: 34rem; margin: .6rem -.5rem 0; padding: 0 .5rem; overflow: auto; list-style: none }
.console li {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .5rem; padding: .3rem 0 .3rem .6rem;
  border-top: 1px solid var(--line); border-left: 3px solid transparent;
}
.console li.error { border-left-color: var(--bad) }
.console li.warn { border-left-color: var(--wait) }
.console .level {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.console .error .level, .console .warn .level {
  position: static; grid-column: 1 / -1; width: auto; height: auto; clip-path: none; font-weight: 600;
}
.console .error .level { color: var(--bad) }
.console .warn .level { color: var(--wait) }
.console pre { max-height: none; margin: 0; padding: 0; overflow: visible; background: none; font-size: .8rem }
.console .times { color: var(--muted); font-variant-numeric: tabular-nums }

@media (max-width: 30rem) {
  .tools .state { flex-basis: 100% }
}
@media (min-width: 60rem) {
  .columns:has(.device) { grid-template-columns: minmax(20rem, 1fr) minmax(0, 1.7fr); column-gap: 2rem }
  .columns:has(.device) > * { grid-column: 1 }
  .columns:has(.device) > .device { grid-column: 2; grid-row: 1 }
  .screen { margin: 0; border: 10px solid var(--bezel); border-radius: 24px; background: var(--bezel) }
}
`)
