import { mermaid } from "nicegui-mermaid";

const SIGNS = {
  running: "●",
  succeeded: "✓",
  caught: "↷",
  failed: "✗",
  aborted: "■",
  pending: "◌",
  skipped: "–",
  idle: "",
};
const WORDS = { aborted: "stopped", pending: "to be redriven", skipped: "not reached", idle: "not reached" };
const IDLE = { status: "idle", words: "", tooltip: "" };
const SVG = "http://www.w3.org/2000/svg";

// Site settings: a definition's text cannot change them. The limits are above those of flowchart.py.
const CONFIG = {
  startOnLoad: false,
  securityLevel: "strict",
  suppressErrorRendering: true,
  deterministicIds: true,
  maxTextSize: 1000000,
  maxEdges: 2000,
  theme: "base",
  themeVariables: { fontFamily: "system-ui, sans-serif", fontSize: "14px" },
  htmlLabels: false,
  flowchart: {
    htmlLabels: false,
    useMaxWidth: false,
    wrappingWidth: 400,
    nodeSpacing: 36,
    rankSpacing: 30,
    padding: 12,
    subGraphTitleMargin: { top: 4, bottom: 12 },
  },
};

// Mermaid keeps its state in one place, so one drawing at a time, for all graphs of the page.
let last = Promise.resolve();
let count = 0;

function draw(text) {
  const drawn = last.then(async () => {
    const holder = document.createElement("div");
    holder.className = "execution-graph-holder";
    document.body.append(holder);
    try {
      mermaid.initialize(CONFIG);
      const { svg } = await mermaid.render(`execution-graph-${++count}`, text, holder);
      // An inert document: nothing in it runs or loads.
      return new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
    } finally {
      holder.remove();
    }
  });
  last = drawn.catch(() => {});
  return drawn;
}

export default {
  template: `<div class="execution-graph"><p ref="failure" role="alert" hidden></p><div ref="canvas"></div></div>`,
  props: { text: String, nodes: Object, states: Object, picked: String },
  watch: {
    text() {
      this.redraw();
    },
    states() {
      this.decorate();
    },
    picked() {
      this.decorate();
    },
  },
  mounted() {
    this.redraw();
  },
  methods: {
    async redraw() {
      const text = this.text;
      try {
        const svg = await draw(text);
        if (text !== this.text || !this.$refs.canvas) return;
        this.place(svg);
      } catch (error) {
        if (text === this.text && this.$refs.canvas) this.fail(error);
      }
    },
    place(svg) {
      svg.querySelectorAll("style").forEach((style) => style.remove());
      const { width } = svg.viewBox.baseVal;
      // It shrinks to the room there is, and no further than it can be read.
      Object.assign(svg.style, { width: "100%", minWidth: `${0.7 * width}px`, maxWidth: `${width}px` });
      svg.removeAttribute("height");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "Execution graph");
      svg.removeAttribute("aria-roledescription");
      reveal(svg);
      this.$refs.canvas.replaceChildren(svg);
      this.$refs.failure.hidden = true;
      this.drawn = [];
      for (const element of svg.querySelectorAll("g.node")) this.prepare(element);
      for (const frame of svg.querySelectorAll("g.cluster")) this.title(frame);
      // The Tab key goes through the states in the order of the walk, not of the layout.
      const drawn = new Map(this.drawn.map((item) => [item.id, item.element]));
      for (const id of Object.keys(this.nodes)) drawn.get(id)?.parentNode.append(drawn.get(id));
      this.decorate();
    },
    prepare(element) {
      const id = /flowchart-(\w+)-\d+$/.exec(element.id)?.[1];
      const node = this.nodes[id];
      if (!node) {
        element.classList.add("mark", id?.split("_")[0] ?? "join");
        element.setAttribute("aria-hidden", "true");
        return;
      }
      const lines = element.querySelectorAll("tspan.text-outer-tspan");
      const words = lines[lines.length - 1];
      const room = words.getComputedTextLength();
      words.classList.add("words");
      element.dataset.type = node.type;
      element.dataset.name = node.name;
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      const title = document.createElementNS(SVG, "title");
      element.prepend(title);
      const pick = () => this.$emit("pick", id);
      element.addEventListener("click", pick);
      element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pick();
      });
      this.drawn.push({ id, element, node, words, room, title });
    },
    title(frame) {
      // Edges come in at the middle of a frame's upper side, so its title stands at the left.
      const box = frame.querySelector("rect");
      const label = frame.querySelector(".cluster-label");
      if (!box || !label) return;
      label.setAttribute("transform", `translate(${box.x.baseVal.value + 8}, ${box.y.baseVal.value + 4})`);
    },
    decorate() {
      for (const { id, element, node, words, room, title } of this.drawn ?? []) {
        const { status, words: said, tooltip } = this.states?.[id] ?? IDLE;
        const word = WORDS[status] ?? status;
        element.dataset.status = status in SIGNS ? status : "idle";
        fit(words, room, line(status, said, word));
        const told = tooltip.startsWith(`${node.name}: `) ? tooltip.slice(node.name.length + 2) : tooltip;
        title.textContent = `${node.name}: ${told || said || word}`;
        const more = told || said;
        const label = `${node.name}, ${node.type}, ${word}`;
        element.setAttribute("aria-label", more && more !== word ? `${label}: ${more}` : label);
        element.setAttribute("aria-pressed", String(node.name === this.picked));
      }
    },
    fail(error) {
      this.drawn = [];
      this.$refs.canvas.replaceChildren();
      this.$refs.failure.textContent = `The graph could not be drawn in this browser: ${error?.message ?? error}`;
      this.$refs.failure.hidden = false;
    },
  },
};

// The private characters of mermaid_text.py, back to what they stand for.
function reveal(svg) {
  const texts = document.createTreeWalker(svg, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    node.data = node.data.replace(/[\ue000-\ue0ff]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xe000));
  }
}

function line(status, said, word) {
  const sign = SIGNS[status] ?? "";
  if (!said) return status === "idle" || !sign ? "" : `${sign} ${word}`;
  return said.includes(sign) ? said : `${sign} ${said}`;
}

// The layout is done: what is wider than its room is cut, and stands in full in the tooltip.
function fit(words, room, text) {
  if (words.textContent === text) return;
  words.textContent = text;
  for (let cut = text; words.getComputedTextLength() > room && cut; ) {
    cut = cut.slice(0, -1);
    words.textContent = `${cut.trimEnd()}…`;
  }
}
