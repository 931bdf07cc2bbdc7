/**
 * What every component looks like before its own style. Views and texts are where the layout puts them.
 * What stands in a scrolled content is painted by itself, so that a browser keeps its painting while others come and go.
 * No `:has()` may name the class of a component: each row that comes or goes would then give the whole screen new styles.
 */

/** The name of a font in place of the system's, which a document may have loaded. */
export const systemFamily = "Phone System"

const systemFonts = `"${systemFamily}", system-ui, -apple-system, "Helvetica Neue", Roboto, sans-serif`
const systemFont = `14px ${systemFonts}`

export const stylesheet = `
html, body { height: 100%; margin: 0; overflow: hidden; overscroll-behavior: none; background: #fff }
:root { --system-fonts: ${systemFonts} }
html.dark, .dark body { background: #000 }
.bezel { position: fixed; inset: 0; z-index: 9; overflow: hidden; pointer-events: none; font: ${systemFont} }
.phone {
  position: absolute; inset: 0; overflow: hidden; touch-action: none; color: #000;
  font: ${systemFont}; -webkit-tap-highlight-color: transparent;
  -webkit-font-smoothing: antialiased; user-select: none; -webkit-user-select: none; -webkit-text-size-adjust: 100%;
}
.android { --accent: #008577; --switch-off: #00000042; --knob: #fff }
.dark .android { color: #fff; --accent: #80cbc4; --switch-off: #ffffff4d; --knob: #bdbdbd }
:where(.phone) { pointer-events: none }
:where(.phone) > :where(*) { pointer-events: auto }
:where(.phone):has(> .card) { background: #000 }
.phone:has(> .card) > :first-child {
  transform: translateY(var(--card-top)) scale(.92); transform-origin: top; border-radius: 12px; overflow: hidden;
  transition: transform .3s;
}
.view, .text, .input {
  position: absolute; box-sizing: border-box; margin: 0; padding: 0; border: 0 solid #000; text-align: start;
}
.content > .view { isolation: isolate }
svg.view { overflow: hidden }
.text { white-space: pre-wrap; overflow-wrap: break-word; line-height: normal; unicode-bidi: plaintext }
.text, .input { font-size: calc(14px * var(--text-size, var(--device-text-size, 1))) }
.span { white-space: inherit }
.lit { box-shadow: inset 0 0 0 999px #0004 }
.text[data-cut] { -webkit-text-fill-color: transparent }
.text[data-cut]::before {
  content: attr(data-cut); position: absolute; inset: 0; padding: inherit; white-space: pre;
  -webkit-text-fill-color: currentcolor;
}
.text .view { position: relative; display: inline-block; vertical-align: bottom }
.text .view .view { position: absolute; display: block }
.scroll { overflow: auto; overflow-anchor: none; scrollbar-width: none; touch-action: pan-x pan-y; overscroll-behavior: contain }
.scroll::-webkit-scrollbar { display: none }
.scroll > .content { margin-top: var(--top, 0) }
.scroll[data-inset] > .content::after {
  content: ""; position: absolute; inset: 0 calc(-1 * var(--right)) calc(-1 * var(--bottom)) 0; pointer-events: none; z-index: -1;
}
.picture { overflow: clip }
.picture > .pixels { position: absolute; box-sizing: border-box; inset: 0; background: no-repeat 50% / cover }
.input {
  display: block; font-family: inherit; color: inherit; background: none; outline: 0; resize: none; border-radius: 0;
  appearance: none; user-select: text; -webkit-user-select: text; touch-action: auto;
}
.input::placeholder { color: var(--placeholder, #3c3c434c); opacity: 1 }
.input::selection { background: var(--selection, Highlight) }
.input::-webkit-search-cancel-button {
  appearance: none; width: 16px; height: 16px; border-radius: 8px; cursor: pointer;
  background: linear-gradient(45deg, transparent 46%, #fff 46% 54%, transparent 54%),
    linear-gradient(-45deg, #8e8e93 46%, #fff 46% 54%, #8e8e93 54%);
}
textarea.input { overflow: auto; scrollbar-width: none }
.box-none { pointer-events: none }
.box-none > * { pointer-events: auto }
.box-only > * { pointer-events: none !important }
.gone, .gone *, .away, .away * { visibility: hidden !important; pointer-events: none !important }
.slop { isolation: isolate }
.slop::before { content: ""; position: absolute; z-index: -1; inset: var(--slop) }
.ruler { position: fixed; visibility: hidden; contain: strict; width: 0; height: 0; top: -9999px; font: ${systemFont} }
.unknown {
  outline: 1px dashed #8a5200; outline-offset: -1px; background: #fff6e3; color: #5c3700; font-size: 11px; overflow: hidden;
}
.unknown.filled { background: none; overflow: visible }
.unknown > .name:not(:only-child) { display: none }
.unknown > .name { position: absolute; inset: 2px 4px auto; overflow-wrap: anywhere; pointer-events: none }
.keys {
  display: flex; flex-direction: column; justify-content: space-evenly; height: 216px; padding: 4px 3px; box-sizing: border-box;
  font-size: 22px; cursor: default;
}
.keys > .row { display: flex; justify-content: center; height: 42px }
.key {
  flex: 1 1 0; max-width: 50%; margin: 0 3px; border-radius: 5px; background: #fff; color: #000; line-height: 42px;
  text-align: center; box-shadow: 0 1px 0 #0005;
}
.key.other, .key[data-key=" "] { font-size: 16px }
.key.other { background: #abb1bb }
.dark > .row > .key { background: #6a6a6c; color: #fff }
.dark > .row > .key.other { background: #464649 }
.android .key { border-radius: 8px; box-shadow: none }
.android .key.other { background: #d3dbe5 }
.android .dark > .row > .key { background: #3a3b3f }
.android .dark > .row > .key.other { background: #2b2c30 }
.android .keys > .row > .key[data-key="Enter"] { border-radius: 21px; background: #a8c7fa; color: #062e6f }
.panned > .view { margin-top: var(--pan) }
[tabindex]:focus-visible { outline: 3px solid #0a84ff }
@keyframes phone-turn { to { transform: rotate(1turn) } }

input.range {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  margin: 0;
  background: none;
  cursor: pointer;
  touch-action: none;
  appearance: none;
}
input.range::-webkit-slider-runnable-track {
  height: 4px;
  border-radius: 2px;
  background: linear-gradient(var(--fill) 0 0) 0 / calc(var(--share) * 100%) no-repeat var(--track);
}
input.range::-moz-range-track {
  height: 4px;
  border-radius: 2px;
  background: linear-gradient(var(--fill) 0 0) 0 / calc(var(--share) * 100%) no-repeat var(--track);
}
input.range::-webkit-slider-thumb {
  width: 28px;
  height: 28px;
  margin-top: -12px;
  border-radius: 50%;
  background: var(--thumb);
  box-shadow: 0 0.5px 4px #0000001f, 0 6px 13px #0000001f;
  appearance: none;
}
.android input.range::-webkit-slider-thumb {
  width: 14px;
  height: 14px;
  margin-top: -5px;
  box-shadow: none;
}
`
