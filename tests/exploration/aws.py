"""What lasts: both tables, the bucket and the emails that SES accepted, all of them moto's."""

import functools
import json
import uuid
from collections.abc import Callable
from typing import Any

from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import s3_backends
from moto.ses.models import ses_backends

from exploration.calls import ACCOUNT, Call, Reply

REGION = "eu-west-1"
SENDER = "tickets@example.org"
Item = dict[str, Any]


class Store:
    """One state of all that lasts. Equal states are one object (:meth:`Aws.intern`)."""

    def __init__(
        self,
        tickets: tuple[str, ...],
        jobs: tuple[str, ...],
        objects: tuple[tuple[str, bytes, tuple[tuple[str, str], ...]], ...],
        emails: tuple[str, ...],
    ) -> None:
        """``tickets`` and ``jobs`` are typed items as JSON; ``emails`` are addresses, in order;
        an object is its key, its bytes and its metadata."""
        self.content = (tickets, jobs, objects, emails)
        self.tickets = {item["ticketId"]: item for item in map(_plain, tickets)}
        self.jobs = {item["jobKey"]: item for item in map(_plain, jobs)}
        self.objects = {key: content for key, content, _ in objects}
        self.emails = emails


class Aws:
    """moto's tables, bucket and SES, made anew.

    ``apply`` may be asked about any state: moto is put into it first. Each question is put to moto
    once, since its answer depends on nothing else.
    """

    def __init__(self, client: Callable[[str], Any]) -> None:
        name = f"exploration-{uuid.uuid4().hex}"
        self.tickets, self.jobs, self.bucket = f"{name}-tickets", f"{name}-jobs", name
        self._stores: dict[object, Store] = {}
        self._answers: dict[tuple[Store, Call], tuple[Store, Reply]] = {}
        self._tables: Any = dynamodb_backends[ACCOUNT][REGION].tables
        self._s3: Any = s3_backends[ACCOUNT]["aws"]
        self._ses: Any = ses_backends[ACCOUNT][REGION]
        dynamodb = client("dynamodb")
        for table, *keys in ((self.tickets, "userId", "ticketId"), (self.jobs, "jobKey")):
            dynamodb.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": k, "AttributeType": "S"} for k in keys],
                KeySchema=[
                    {"AttributeName": key, "KeyType": kind}
                    for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
                ],
            )
        client("s3").create_bucket(
            Bucket=self.bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        client("sesv2").create_email_identity(EmailIdentity=SENDER)
        self.empty = self.intern((), (), (), ())

    def intern(self, *content: Any) -> Store:
        if content not in self._stores:
            self._stores[content] = Store(*content)
        return self._stores[content]

    def apply(self, store: Store, call: Call) -> tuple[Store, Reply]:
        """What the call makes of the state, and what AWS says to it."""
        known = self._answers.get((store, call))
        if known is None:
            self.restore(store)
            known = self._answers[store, call] = self.send(store, call)
        return known

    @property
    def asked(self) -> int:
        return len(self._answers)

    def send(self, store: Store, call: Call) -> tuple[Store, Reply]:
        """Like ``apply``, where moto is in this state already."""
        sent = len(self._ses.sent_messages)
        reply = call.send()
        emails = store.emails
        if len(self._ses.sent_messages) > sent:
            emails = (*emails, call.subject)
            # moto's ids are random; a run that is repeated has to meet the same ones.
            body = json.dumps({"MessageId": f"message-{len(emails)}"}).encode()
            reply = reply._replace(body=body)
        tickets, jobs = (self._items(table) for table in (self.tickets, self.jobs))
        return self.intern(tickets, jobs, self._objects(), emails), reply

    def restore(self, store: Store) -> None:
        tickets, jobs, objects, _ = store.content
        for name, items in ((self.tickets, tickets), (self.jobs, jobs)):
            self._tables[name].items.clear()
            for item in items:
                self._tables[name].put_item(json.loads(item))
        keys = self._s3.buckets[self.bucket].keys
        for stored in keys.values():
            stored.dispose()
        keys.clear()
        for key, content, metadata in objects:
            self._s3.put_object(self.bucket, key, content).set_metadata(dict(metadata))

    def _items(self, table: str) -> tuple[str, ...]:
        found = self._tables[table].all_items()
        return tuple(
            sorted(json.dumps(item.to_json()["Attributes"], sort_keys=True) for item in found)
        )

    def _objects(self) -> tuple[Any, ...]:
        keys = self._s3.buckets[self.bucket].keys
        return tuple(
            sorted(
                (name, _one(key.value), tuple(sorted(key.metadata.items())))
                for name, key in keys.items()
            )
        )


@functools.cache
def _one(content: bytes) -> bytes:
    """The same object for the same bytes, so that comparing them costs nothing."""
    return content


def _plain(item: str) -> Item:
    fields = json.loads(item).items()
    return {name: int(v["N"]) if "N" in v else v["S"] for name, v in fields}
