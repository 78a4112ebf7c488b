// The wrapper, the hook and the element in JSX, with React's own types; it is checked, not run.
import { useRef, useState } from "react";
import type { AppliedFilter, Config, FilterInput, ListResult, Sieve } from "mcp-sieve";
import type { SievePickerElement } from "mcp-sieve/picker";
import { SievePicker, useSieve } from "mcp-sieve/react";

const config: Config = { rules: [{ match: "name:*", groups: ["a"] }] };
export function Whole({ lists, ready }: { lists: ListResult | undefined; ready: Sieve | undefined }) {
  const [filter, setFilter] = useState<FilterInput>({});
  const { sieve, error } = useSieve(lists, config);
  const element = useRef<SievePickerElement>(null);
  const seen: AppliedFilter | undefined = element.current?.filter;
  return (
    <main className={error?.code === "load" ? "down" : ""} title={JSON.stringify(seen)}>
      <SievePicker
        lists={lists}
        config={config}
        filter={filter}
        onChange={setFilter}
        onBudget={({ selected, maxTools }) => setFilter({ limit: { count: maxTools ?? selected } })}
        ref={element}
        className="wide"
        aria-label="Tools"
      />
      <mcp-sieve-picker value="{}" maxTools={3} picker={ready?.picker()} onbudget={(event) => event.detail.tokens} />
      <SievePicker
        sieve={ready ?? sieve}
        error={error}
        onChange={(next, event) => setFilter(next ?? event.detail.filter)}
        disabled
      />
      <mcp-sieve-picker
        ref={element}
        kind="prompts"
        name="filter"
        class="wide"
        presets={[{ name: "safe", filter: { tags: ["read"] } }]}
        onChange={({ currentTarget }) => setFilter(currentTarget.filter)}
      />
    </main>
  );
}
// @ts-expect-error there is no such kind
export const slip = <mcp-sieve-picker kind="tool" />;
// @ts-expect-error there is no such property
export const other = <SievePicker list={[]} />;
